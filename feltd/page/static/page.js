"use strict";
// Draws the state that the server sends. It asks for nothing else, and has nothing to say.

const SVG = "http://www.w3.org/2000/svg";
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const SEATS = 10;
const CARD = { width: 46, height: 64 };

const at = (id) => document.getElementById(id);

function make(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}

function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function time(wall) {
  return new Date(wall * 1000).toLocaleTimeString([], { hour12: false });
}

// ---- the table

// The rail: two straights and two half circles. The dealer sits in the middle of the upper straight; seat 1 is at the
// dealer's left and the numbers run clockwise. `inward`: how far from the rail.
const RAIL = { x: 500, y: 305, straight: 205, radius: 250 };

function place(seat, inward) {
  const { straight, radius } = RAIL;
  const arc = Math.PI * radius;
  const reach = radius - inward;
  let way = ((4 * straight + 2 * arc) * seat) / (SEATS + 1);
  const onArc = (side, angle) => ({
    x: RAIL.x + side * straight + Math.cos(angle) * reach,
    y: RAIL.y + Math.sin(angle) * reach,
  });
  if (way < straight) return { x: RAIL.x + way, y: RAIL.y - reach };
  way -= straight;
  if (way < arc) return onArc(1, -Math.PI / 2 + way / radius);
  way -= arc;
  if (way < 2 * straight) return { x: RAIL.x + straight - way, y: RAIL.y + reach };
  way -= 2 * straight;
  if (way < arc) return onArc(-1, Math.PI / 2 + way / radius);
  return { x: RAIL.x - straight + way - arc, y: RAIL.y - reach };
}

function card(x, y, name, deck) {
  const group = shape("g", { transform: `translate(${x - CARD.width / 2} ${y - CARD.height / 2})` });
  const size = { width: CARD.width, height: CARD.height, rx: 5 };
  if (name === null) {
    group.append(shape("rect", { ...size, class: "place" }));
  } else if (name === "back") {
    group.append(shape("rect", { ...size, class: `back ${deck || ""}` }));
  } else {
    const suit = SUITS[name[1]];
    const red = name[1] === "h" || name[1] === "d" ? "pips red" : "pips";
    const rank = name[0] === "T" ? "10" : name[0];
    group.append(shape("rect", { ...size, class: "card" }));
    group.append(shape("text", { x: CARD.width / 2, y: 27, class: red }, suit ? rank : "Joker"));
    if (suit) group.append(shape("text", { x: CARD.width / 2, y: 53, class: red }, suit));
  }
  return group;
}

// Cards lying side by side: the shown ones, then backs for the rest.
function hand(x, y, count, shown, deck) {
  const group = shape("g", {});
  const names = [...(shown || [])];
  while (names.length < count) names.push("back");
  const step = names.length > 2 ? 32 : shown && shown.length ? CARD.width + 3 : 28;
  names.forEach((name, index) => group.append(card(x + (index - (names.length - 1) / 2) * step, y, name, deck)));
  return group;
}

// Two short lines: what lay there before the deal, and what came beside it.
function wagersInWords(wagers) {
  if (!wagers) return [];
  const say = (boxes) => boxes.filter((box) => wagers[box]).map((box) => `${box} ${wagers[box] / 100}`).join(" · ");
  return [say(["ante", "blind"]), say(["trips", "play"])].filter(Boolean);
}

function seatInWords(seat) {
  if (seat.state !== "in") return [seat.state];
  return seat.folded ? ["folded"] : wagersInWords(seat.wagers);
}

function dueSeats(table) {
  const prompt = table.prompt || {};
  const due = new Set(prompt.decide || []);
  if (table.to_act) due.add(table.to_act);
  if (prompt.show && prompt.show.length) due.add(prompt.show[0]);
  for (const zone of [prompt.deal, prompt.remove]) {
    if (typeof zone === "string" && zone.startsWith("seat:")) due.add(Number(zone.slice(5)));
  }
  return due;
}

function drawSeat(number, seat, table, due) {
  const group = shape("g", seat && seat.folded ? { class: "folded" } : {});
  const spot = place(number, 0);
  const empty = seat ? "" : " empty";
  group.append(shape("circle", { cx: spot.x, cy: spot.y, r: 27, class: `seat${empty}${due.has(number) ? " due" : ""}` }));
  group.append(shape("text", { x: spot.x, y: spot.y, class: `number${empty}` }, number));
  const cards = place(number, 88);
  if (seat) {
    if (seat.cards) group.append(hand(cards.x, cards.y, seat.cards, seat.tabled, table.deck));
    seatInWords(seat).forEach((words, line) => {
      const y = cards.y + (seat.cards ? 49 : 0) + line * 18;
      group.append(shape("text", { x: cards.x, y, class: "label" }, words));
    });
  }
  return group;
}

function drawTable(state) {
  const table = state.table;
  const svg = at("table");
  const drawn = [
    shape("rect", { x: 40, y: 50, width: 920, height: 510, rx: 255, class: "cloth" }),
    shape("rect", { x: 235, y: 185, width: 530, height: 240, rx: 120, class: "betting-line" }),
    shape("rect", { x: 420, y: 12, width: 160, height: 44, rx: 8, class: "tray" }),
    shape("text", { x: 500, y: 40, class: "label" }, "dealer"),
  ];
  (table.board || []).forEach((name, index) => drawn.push(card(388 + index * 56, 300, name, table.deck)));
  if (table.burn) {
    drawn.push(card(312, 300, "back", table.deck));
    drawn.push(shape("text", { x: 312, y: 354, class: "label" }, `burn ${table.burn}`));
  }
  if (table.muck) {
    drawn.push(card(690, 300, "back", table.deck));
    drawn.push(shape("text", { x: 690, y: 354, class: "label" }, `muck ${table.muck}`));
  }
  if (table.dealer && table.dealer.cards) drawn.push(hand(500, 112, table.dealer.cards, table.dealer.tabled, table.deck));
  const seats = new Map((table.seats || []).map((seat) => [seat.seat, seat]));
  const due = dueSeats(table);
  for (let number = 1; number <= SEATS; number += 1) drawn.push(drawSeat(number, seats.get(number), table, due));
  if (table.button) {
    const spot = place(table.button + 0.42, 38);
    drawn.push(shape("circle", { cx: spot.x, cy: spot.y, r: 15, class: "button" }));
    drawn.push(shape("text", { x: spot.x, y: spot.y, class: "button-text" }, "D"));
  }
  svg.replaceChildren(...drawn);
}

// ---- the lists

function rulingItem(ruling, replaced) {
  const item = make("li", ruling.waits ? "waits" : replaced.has(ruling.id) ? "replaced" : "");
  const head = make("div", "ruling-head");
  head.append(make("span", "clause", ruling.rule));
  const seat = ruling.seat ? `, seat ${ruling.seat}` : "";
  head.append(make("span", "what", ruling.irregularity_words + seat));
  head.append(make("span", "when", `${time(ruling.wall)} · ${ruling.id}`));
  item.append(head, make("p", "text", ruling.text));
  const outcome = make("div", "outcome");
  outcome.append(make("b", "", [ruling.outcome_words, ...ruling.also_words].join(", then ")));
  outcome.append(` · ${ruling.rulebook}`);
  if (ruling.supersedes) outcome.append(` · in place of ${ruling.supersedes}`);
  if (ruling.waits) outcome.append(make("span", "decide", ` · ${ruling.authority} decides`));
  else if (ruling.pending) outcome.append(" · decided");
  item.append(outcome);
  return item;
}

function drawRulings(state) {
  const replaced = new Set(state.rulings.map((ruling) => ruling.supersedes).filter(Boolean));
  at("rulings").replaceChildren(...state.rulings.map((ruling) => rulingItem(ruling, replaced)));
  at("no-rulings").hidden = state.rulings.length > 0;
}

function alarmItem(alarm) {
  const item = make("li", alarm.over ? "over" : alarm.escalated ? "escalated" : "");
  item.append(make("b", "", alarm.text));
  const words = [alarm.over ? "over" : "standing", alarm.acknowledged ? "seen" : "not seen yet"];
  if (alarm.escalated) words.push("escalated");
  item.append(make("span", "", words.join(", ")));
  return item;
}

function drawAlarms(state) {
  at("alarms").replaceChildren(...state.alarms.map(alarmItem));
  at("no-alarms").hidden = state.alarms.length > 0;
}

function deviceRow(device) {
  const row = make("tr");
  row.append(make("td", "", device.name));
  row.append(make("td", device.up ? "up" : "down", device.up ? "up" : device.state.replace("_", " ")));
  if (!device.up && device.fault) {
    const fault = make("td", "fault", device.fault.text);
    fault.colSpan = 6;
    row.append(fault);
    return row;
  }
  row.append(make("td", "n", device.round_trip_ms === null ? "–" : `${device.round_trip_ms.toFixed(1)} ms`));
  row.append(make("td", "n", device.events));
  for (const key of ["bad_frames", "retransmissions", "reconnects", "faults"]) {
    row.append(make("td", device[key] ? "n count" : "n", device[key]));
  }
  return row;
}

function drawDevices(state) {
  at("devices").replaceChildren(...state.devices.map(deviceRow));
  at("faults").replaceChildren(...state.faults.slice(0, 5).map((fault) => make("li", "", `${time(fault.wall)} ${fault.text}`)));
}

function drawHealth(state) {
  const journal = state.journal;
  const rows = [
    ["Record", journal.state === "running" ? "kept" : journal.error || journal.state, journal.state !== "running"],
    ["Entries", `${journal.appended}, ${journal.backlog} not yet on the disk`, !journal.accepting],
    ["Last commit", `${journal.last_commit_ms.toFixed(1)} ms, longest ${journal.longest_commit_ms.toFixed(1)} ms`, false],
    ["Loop lag", `${state.loop.lag_ms.toFixed(1)} ms, worst ${state.loop.worst_ms.toFixed(1)} ms in a minute`, state.loop.worst_ms > 250],
    ["Rulebook", state.rulebook ? `${state.rulebook.id}, ${state.rulebook.digest.slice(0, 12)}…` : "none", false],
  ];
  if (journal.waiting) rows.push(["Waiting", `${journal.waiting} messages of devices`, true]);
  at("health").replaceChildren(
    ...rows.flatMap(([name, words, bad]) => [make("dt", "", name), make("dd", bad ? "bad" : "", words)])
  );
}

function draw(state) {
  at("rulebook").textContent = state.rulebook ? state.rulebook.title : "no game";
  at("round").textContent = state.table.round ? `round ${state.table.round}` : "";
  at("stopped").hidden = !state.stopped;
  at("stopped").textContent = state.stopped ? `Play stops: ${state.stopped}` : "";
  at("phase").textContent = state.phase;
  at("phase").className = ["halted", "misdeal", "void"].includes(state.table.phase) ? "phase bad" : "phase";
  at("prompt").textContent = state.prompt;
  drawTable(state);
  drawRulings(state);
  drawAlarms(state);
  drawDevices(state);
  drawHealth(state);
}

// ---- live

let last = new Date();

function lost() {
  document.body.classList.add("lost");
  at("live").textContent = `no connection: as it was at ${last.toLocaleTimeString([], { hour12: false })}`;
}

function listen() {
  const source = new EventSource("/api/v1/stream");
  source.addEventListener("state", (event) => {
    last = new Date();
    document.body.classList.remove("lost");
    at("live").textContent = "live";
    draw(JSON.parse(event.data));
  });
  source.addEventListener("error", () => {
    lost();
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
}

draw(JSON.parse(at("state").textContent));
listen();
