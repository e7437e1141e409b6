// The draw, the tables, who moves next and why, the order of breaking, and hand for hand.

import { withoutReport } from "./desk-play.js";
import { commitmentRead, failed, openStep, secretFields, take } from "./desk-steps.js";
import { placeRead, seatField } from "./desk-seats.js";
import { AT, chips, clauseOf } from "./floor-words.js";
import { at, button, make, may, redraw } from "./shell.js";

const names = (desk) => new Map(desk.entries.map((one) => [one.entry, one.name]));
const inUse = (desk) => desk.tables.filter((table) => !table.broken);

function facts(list, rows) {
  list.replaceChildren(...rows.flatMap(([term, words]) => [make("dt", "", term), make("dd", "", words)]));
}

// A button that opens the form of a step, for who leads the tournament.
function stepButton(words, asked, className) {
  return button(words, () => openStep({ title: words.replace("…", ""), ...asked }), className);
}

// ---- the draw

export function drawDraw(desk) {
  const draw = desk.draw;
  const waits = desk.entries.filter((one) => one.standing === "waiting").length;
  facts(at("draw-facts"), [
    ["Commitment to the next draw", draw.commitment ?? "none was published"],
    ...(draw.kept_by ? [["Its secret", KEPT_BY[draw.kept_by]]] : []),
    ["Seed of the first draw", draw.seed ?? "the seats are not drawn"],
    ["Without a seat", `${waits}`],
    ["Kept apart", draw.apart.length ? draw.apart.map((group) => group.join(" + ")).join("; ") : "nobody"],
    ["A table begins with", draw.least === null ? "as the director says" : `${draw.least} players at least${clauseOf(draw.clause)}`],
    ...(desk.draws !== null ? [["Draws left", `${desk.draws}`]] : []),
  ]);
  const tools = [];
  if (may("tournament")) {
    if (draw.commitment === null && !desk.entries.length) {
      tools.push(stepButton("Publish the commitment", { ev: "draw.committed", about: "Publish it before anybody enters: a later commitment could be chosen for its draw. Where the floor keeps secrets, it makes the secret itself. Otherwise a person who has the secret knows the seats of any list before the list is closed.", fields: [{ name: "commitment", words: "Commitment (64 hexadecimal digits; empty: the floor makes the secrets and keeps them)", value: commitmentRead() || "", optional: true, read: (text) => text.trim().toLowerCase() || undefined }] }, "main"));
    }
    if (draw.seed === null && waits) {
      tools.push(stepButton("Draw all seats", { ev: "seats.drawn", about: `${waits} entries get a seat`, why: "entries are taken", fields: [...secretFields(), { name: "short_tables", words: "Tables may begin with fewer players than the book asks for", kind: "check" }] }, "main"));
      tools.push(stepButton("Keep apart…", { ev: "associates", fields: [{ name: "persons", words: "Card numbers of those who belong together, one a line", kind: "lines", read: (text) => text.split(/\s+/).filter(Boolean) }] }));
    }
    if (draw.seed !== null && desk.occasions.length) {
      const asked = { name: "tables", words: "Tables that are played at then, one a line", kind: "lines", value: inUse(desk).map((table) => table.table).join("\n"), read: (text) => text.split("\n").map((one) => one.trim()).filter(Boolean) };
      tools.push(stepButton("Draw all seats anew…", { ev: "redrawn", fields: [{ name: "occasion", words: "Occasion", kind: "select", options: desk.occasions.map((one) => [one, OCCASIONS[one]]) }, asked, ...secretFields()] }));
    }
    if (!desk.late.closed) tools.push(stepButton("Close late entry…", { ev: "late.closed" }));
    else if (!desk.cancelled) tools.push(stepButton("Open late entry again…", { ev: "late.taken_back", about: "It was closed by mistake: entries are taken again, and nobody has a place or a prize until it is closed." }));
  }
  redraw(at("draw-tools"), tools);
  drawDrawn(draw);
}

const KEPT_BY = { floor: "kept by the floor: nobody has it before its draw", director: "the director's own. A person who has it knows the seats of any list before the list is closed" };
const DRAWN = { "seats.drawn": "all seats", redrawn: "all seats, anew", "table.breaks": "players of a broken table" };
const saidOf = (said) => `${said.who}: ${said.why}`;

// Every draw of several seats, with its secret; one that two people have annulled stays in sight.
function drawDrawn(draw) {
  redraw(
    at("drawn"),
    draw.drawn.map((one) => {
      const item = make("li", one.annulled ? "annulled" : "");
      const what = one.table === null ? DRAWN[one.ev] : `${DRAWN[one.ev]}: ${one.table}`;
      item.append(make("b", "", what), make("span", "quiet", `${one.entries} entries, secret ${one.secret}`));
      if (one.objected) item.append(make("span", "", `objected by ${saidOf(one.objected)}`));
      if (one.annulled) item.append(make("span", "", `annulled by ${saidOf(one.annulled)}`));
      if (one.may_be_annulled && may("tournament")) item.append(annulTools(one, what));
      return item;
    })
  );
}

function annulTools(one, what) {
  const tools = make("p", "tools");
  const fixed = one.table === null ? {} : { table: one.table };
  const after = one.table === null ? "nobody has a seat by it then, and the next secret draws again" : "its table must stand ready again first, and the next secret breaks it again";
  if (one.objected) tools.append(stepButton("Annul it as the second person…", { ev: "draw.annulled", about: `${what}: ${after}. It stays on record, with both persons and both reasons.`, fixed }));
  else tools.append(stepButton("Object to this draw…", { ev: "draw.objected", about: `${what}: no hand was dealt by it yet. Another person annuls it, or it stays.`, fixed }));
  return tools;
}

const OCCASIONS = { final_table: "the final table", overnight: "a new day", last_nine: "the last nine", director: "another, as players were told" };

// ---- the tables

export function movesInWords(desk) {
  const move = desk.move;
  if (move === null) return { due: false, words: "Nobody moves: there are no two tables with players." };
  if (move.entry === null) return { due: false, words: `Nobody moves now: ${move.why_not}${clauseOf(move.clause)}` };
  const who = names(desk).get(move.entry);
  return { due: true, words: `${who} (entry ${move.entry}) moves after this hand from ${move.table}, seat ${move.seat}, to ${move.to}, seat ${move.to_seat}: next big blind to the worst position, ${move.players} players there and ${move.players_there} here${clauseOf(move.clause)}` };
}

function breakingInWords(desk) {
  const order = desk.breaking.order.filter((name) => inUse(desk).some((table) => table.table === name));
  if (!order.length) return `No order of breaking was announced${clauseOf(desk.breaking.clause)}.`;
  return `Tables break in this order: ${order.join(", ")}.${desk.breaking.next ? ` ${desk.breaking.next} may break now: the others have room.` : ""}`;
}

function tileOf(desk, table, name) {
  const item = make("li", table.broken ? "away" : table.waits !== null ? "waits-here" : table.away ? "grave" : "");
  item.dataset.item = table.table;
  const title = make("h3", "", table.table);
  title.append(make("small", "", table.broken ? "broken" : `${table.players.length} of ${table.seats.length}`));
  const stacks = table.players.filter((one) => one.chips !== null).map((one) => one.chips);
  const said = [stacks.length ? `${chips(stacks.reduce((sum, one) => sum + one, 0))} chips counted` : "", table.hand === null ? "" : `hand ${table.hand}`, table.away ? "not reached" : "", table.waits === null ? "" : `waits for seat ${table.waits}`].filter(Boolean);
  item.append(title, make("p", "quiet", said.join(" · ")));
  const list = make("ol", "sitting");
  for (const one of table.players) {
    const player = make("li", one.to_big_blind === 0 ? "next-blind" : "");
    player.append(make("span", "seat", one.seat), make("span", "", name.get(one.entry)));
    if (one.chips !== null) player.append(make("small", "", chips(one.chips)));
    if (one.to_big_blind === 0) player.append(make("small", "", "next big blind"));
    list.append(player);
  }
  item.append(list);
  if (table.broken && may("tournament")) {
    const players = { name: "players", words: "Its players", kind: "select", options: [["back", "have their seats here again"], ["stay", "stay where they are"]] };
    const tools = make("p", "tools");
    tools.append(stepButton("Stands ready again…", { ev: "table.taken_back", about: table.table, fixed: { table: table.table }, fields: [players] }));
    item.append(tools);
  }
  if (!table.broken && table.players.length && may("tournament")) {
    const tools = make("p", "tools");
    if (inUse(desk).length > 1) {
      tools.append(stepButton("Break by a draw…", { ev: "table.breaks", about: table.table, fixed: { table: table.table }, fields: secretFields(), why: "players fit at the other tables" }));
      tools.append(stepButton("Break by hand…", brokenByHand(desk, table, name)));
    }
    tools.append(stepButton("Hand began…", { ev: "hand.began", about: `${table.table}: what a table tells that has no line to the floor`, fixed: { table: table.table }, why: "told by the dealer", fields: handFields(table) }));
    tools.append(stepButton("Stacks counted…", { ev: "stacks.counted", about: table.table, why: "counted at the table", fields: stackFields(table, name), make: (values) => ({ table: table.table, stacks: stacksOf(table, values) }) }));
    if (desk.hand_for_hand === null) tools.append(stepButton("Players out in a hand…", { ev: "hand.over", about: `${table.table}: what a table tells that has no line to the floor`, fixed: { table: table.table }, why: "told by the dealer", fields: outFields(desk, table.table), make: outsOf }));
    if (desk.chips.race && desk.chips.race.waits_for.includes(table.table)) tools.append(stepButton("Chip race is over…", raceToldBy(table)));
    item.append(tools);
  }
  return item;
}

// `3 5` on a line: seat 3 had five odd chips, or won five new ones.
const bySeat = (text) => text.split("\n").map((line) => line.trim().split(/\s+/).map(Number)).filter((one) => one.length === 2);
const seatsRead = (text) => text.split(/\s+/).filter(Boolean).map(Number);

function raceToldBy(table) {
  const fields = [
    { name: "odd", words: "Odd chips: seat and number, one a line", kind: "lines", rows: 4, optional: true, read: bySeat },
    { name: "chips", words: "New chips: seat and number, one a line", kind: "lines", rows: 4, optional: true, read: bySeat },
    { name: "last", words: "Seats that had nothing else", optional: true, read: seatsRead },
    { name: "kept_in", words: "Seats that were given a chip for that", optional: true, read: seatsRead },
    { name: "out", words: "Small chips taken off, their value", kind: "number", value: "0" },
  ];
  return { ev: "race.told", about: table.table, fixed: { table: table.table }, fields, why: "told by the dealer" };
}

function handFields(table) {
  const seats = table.players.map((one) => [`${one.seat}`, `seat ${one.seat}`]);
  return [
    { name: "hand", words: "Hand, counted from 1", kind: "number", value: `${(table.hand ?? 0) + 1}` },
    { name: "big_blind", words: "Big blind", kind: "select", options: seats, read: Number },
    { name: "small_blind", words: "Small blind", kind: "select", options: [["", "not known"], ...seats], read: (text) => (text ? Number(text) : null) },
  ];
}

const stackFields = (table, name) => table.players.map((one) => ({ name: `stack-${one.entry}`, words: `${name.get(one.entry)}, seat ${one.seat}`, kind: "number", optional: true, value: one.chips === null ? "" : `${one.chips}`, read: (text) => (text ? Number(text) : null) }));
const stacksOf = (table, values) => table.players.map((one) => [one.entry, values[`stack-${one.entry}`]]).filter(([, stack]) => stack !== null);

function brokenByHand(desk, table, name) {
  const elsewhere = seatField("").options.filter(([value]) => placeRead(value).table !== table.table);
  const fields = table.players.map((one, place) => ({ name: `to-${one.entry}`, words: `${name.get(one.entry)}, seat ${one.seat}, to`, kind: "select", options: elsewhere, value: elsewhere[place]?.[0] }));
  const given = (values) => table.players.map((one) => [one.entry, ...Object.values(placeRead(values[`to-${one.entry}`]))]);
  return { ev: "table.broken", about: table.table, fields, make: (values) => ({ table: table.table, to: given(values) }) };
}

let drawn = "";

export function drawTables(desk) {
  const move = movesInWords(desk);
  at("move").textContent = move.words;
  at("breaking").textContent = breakingInWords(desk);
  const tools = [];
  if (may("tournament")) {
    if (move.due) tools.push(stepButton("Move by the book", { ev: "balanced", about: move.words, fixed: { table: desk.move.table, hand: desk.move.hand, to: desk.move.to }, why: "tables are uneven" }, "main"));
    const asked = { name: "tables", words: "Tables, the first to break on top, one a line", kind: "lines", value: [...desk.breaking.order].join("\n") || inUse(desk).map((table) => table.table).reverse().join("\n"), read: (text) => text.split("\n").map((one) => one.trim()).filter(Boolean) };
    tools.push(stepButton("Announce the breaking order…", { ev: "breaking.order", fields: [asked] }));
    if (desk.tables.some((table) => table.players.length)) tools.push(allCards(desk));
  }
  redraw(at("tables-tools"), tools);
  const text = JSON.stringify([desk.tables, desk.breaking, desk.draw, desk.draws, desk.chips.race, desk.hand_for_hand === null]);
  if (text === drawn) return;
  drawn = text;
  const name = names(desk);
  redraw(at("tables"), desk.tables.map((table) => tileOf(desk, table, name)));
}

function allCards(desk) {
  const link = make("a", "button", "Print all seat cards");
  Object.assign(link, { href: `/tournaments/${desk.id}/cards`, target: "_blank", rel: "noopener" });
  return link;
}

// ---- hand for hand

async function now(ev, why, fields = {}) {
  try {
    await take({ ev, ...fields }, why);
  } catch (fault) {
    failed("Not done", fault);
  }
}

export function drawHands(desk) {
  const play = desk.hand_for_hand;
  const tools = [];
  const leads = may("tournament");
  if (play === null) {
    at("hands-told").textContent = "Tables deal at their own pace.";
    const why = { name: "why", words: "What for", kind: "select", options: [["bubble", "the bubble"], ["final_table", "the final table"], ["next_prize", "the next prize"]] };
    if (leads) tools.push(stepButton("Begin hand for hand…", { ev: "hand_for_hand.began", fields: [why] }));
    redraw(at("hands"), []);
  } else {
    const waits = play.waits_for.length ? `waits for ${play.waits_for.join(", ")}` : "every table has finished: the next hand may begin";
    at("hands-told").textContent = `${play.hand ? `Hand ${play.hand}: ${waits}` : "No hand was released yet"}${clauseOf(play.clause)}`;
    if (leads) {
      const release = button("Release the next hand", () => now("hand.released", "every table has finished"), "main");
      release.disabled = play.waits_for.length > 0;
      tools.push(release);
      if (play.tables.some((one) => one.at === "frozen")) tools.push(button("Let the all-ins be turned", () => now("all_ins.turned", "the other tables have finished")));
      tools.push(stepButton("End hand for hand…", { ev: "hand_for_hand.ended" }));
    }
    redraw(at("hands"), play.tables.map((one) => handOf(desk, play, one, leads)));
  }
  redraw(at("hands-tools"), tools);
}

function handOf(desk, play, one, leads) {
  const waits = play.waits_for.includes(one.table);
  const item = make("li", one.away ? "grave" : waits ? "waits-here" : "");
  item.dataset.item = one.table;
  item.append(make("h3", "", one.table), make("p", "", [one.hand ? AT[one.at] : "", one.away ? "not reached" : "", one.excused ? "goes without" : "", one.owes.length ? `has to tell of hand ${one.owes.join(", ")}` : ""].filter(Boolean).join(" · ")));
  const tools = make("p", "tools");
  if (leads && one.away && waits) tools.append(stepButton("Go on without it…", { ev: "table.excused", about: one.table, fixed: { table: one.table } }));
  if (leads && waits && one.at !== "frozen") tools.append(stepButton("Hand is over…", { ev: "hand.over", about: `${one.table}: what a table tells that has no line to the floor`, fixed: { table: one.table, hand: one.hand }, why: "told by the dealer", fields: outFields(desk, one.table), make: outsOf }));
  if (leads) {
    for (const hand of one.owes) tools.append(stepButton(`Hand ${hand} is over…`, { ev: "hand.over", about: `${one.table}: the end of hand ${hand}, which it has not told`, fixed: { table: one.table, hand }, why: "told by the dealer", fields: outFields(desk, one.table), make: outsOf }));
    for (const missing of desk.places.unreported) if (missing.tables.includes(one.table) && one.owes.includes(missing.hand)) tools.append(withoutReport(desk, missing));
  }
  item.append(tools);
  return item;
}

function outFields(desk, table) {
  const name = names(desk);
  const sitting = desk.tables.find((one) => one.table === table)?.players || [];
  return sitting.map((one) => ({ name: `out-${one.entry}`, words: `${name.get(one.entry)}, seat ${one.seat}: out with a stack of (empty: not out)`, kind: "number", optional: true, read: (text) => (text.trim() ? Number(text) : null) }));
}

const outsOf = (values) => ({ out: Object.entries(values).filter(([, stack]) => stack !== null).map(([key, stack]) => ({ entry: Number(key.slice(4)), stack, put_in: stack })) });
