// The simulated table, to be worked by hand: every press is an order to a simulated device, and what the table makes of
// it comes back over the real wire.

import { ask, sendAlong } from "./api.js";
import { deckInWords, drawTable, place } from "./felt.js";
import { inOrder } from "./late.js";
import { follow } from "./live.js";
import { drawReports } from "./reports.js";
import { amount, at, begin, make, timeWithOffset, unit, untyped } from "./shell.js";
import { clauseInWords, deviceInWords, wordsFor } from "./vocabulary.js";

const LAMPS = { play: "play", attention: "attention", stop: "stop" };
const SVG = "http://www.w3.org/2000/svg";
const LOOK_EVERY = 400; // milliseconds, at most
const ROOT = "/simulated";

const asks = inOrder();

let state = JSON.parse(at("state").textContent);
let looked = null;
let due = null;

// ---- the mats

function zones() {
  const made = [];
  for (let seat = 1; seat <= 10; seat += 1) {
    const spot = place(seat, 78);
    made.push({ zone: `seat:${seat}`, words: `Seat ${seat}`, x: spot.x, y: spot.y, width: 104, height: 84 });
  }
  for (let number = 1; number <= 5; number += 1) {
    made.push({ zone: `board:${number}`, words: `Board, card ${number}`, x: 388 + (number - 1) * 56, y: 300, width: 54, height: 74 });
  }
  made.push({ zone: "burn", words: "Burn pile", x: 312, y: 300, width: 60, height: 74 });
  made.push({ zone: "dealer", words: "The dealer's hand", x: 500, y: 112, width: 120, height: 74 });
  return made;
}

function drawZones() {
  for (const { zone, words, x, y, width, height } of zones()) {
    const mat = document.createElementNS(SVG, "rect");
    const box = { x: x - width / 2, y: y - height / 2, width, height, rx: 8, class: "mat", role: "button", tabindex: 0, "data-zone": zone };
    for (const [key, value] of Object.entries(box)) mat.setAttribute(key, value);
    mat.setAttribute("aria-label", words);
    mat.addEventListener("click", () => press(zone));
    mat.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press(zone);
    });
    at("zones").append(mat);
  }
}

function press(zone) {
  const hand = document.querySelector("input[name=hand]:checked").value;
  if (hand.startsWith("thing-")) return send("/chips", { thing: hand.slice(6), zone });
  if (!hand.startsWith("deal")) return send("/cards", { do: hand, zone });
  const asked = state.table.prompt || {};
  const face = hand === "deal-asked" ? asked.face || (zone.startsWith("board") ? "up" : "down") : hand.slice(5);
  return send("/cards", { do: "deal", zone, face });
}

// What lies on the mats, drawn as the table is drawn.
function asLaid() {
  const mats = looked.mats;
  const up = (zone) => (mats[zone] || []).filter((card) => card !== "back");
  const count = (zone) => (mats[zone] || []).length;
  const known = new Map((state.table.seats || []).map((seat) => [seat.seat, seat]));
  const seats = [];
  for (let number = 1; number <= 10; number += 1) {
    const zone = `seat:${number}`;
    const seat = known.get(number) || (count(zone) ? { seat: number, state: "in", folded: false } : null);
    if (seat) seats.push({ ...seat, cards: count(zone), tabled: up(zone) });
  }
  const board = [1, 2, 3, 4, 5].map((number) => up(`board:${number}`)[0] || (count(`board:${number}`) ? "back" : null));
  return { ...state.table, seats, board, burn: count("burn"), dealer: { cards: count("dealer"), tabled: up("dealer") } };
}

// ---- the devices

function drawDevices() {
  const shoe = looked.shoe;
  const faults = shoe.faults.map((fault) => wordsFor("faults", fault.kind));
  at("shoe").textContent = `${shoe.deck ? `${deckInWords(shoe.deck)} deck, ${shoe.undealt} cards undealt` : "empty"}; gate ${shoe.locked ? "locked" : "open"}${faults.length ? `; ${faults.join(", ")}` : ""}`;
  at("box").textContent = !looked.box.present ? "It is missing." : looked.box.locked ? "In its place and locked." : "In its place, unlocked.";
  at("display").textContent = looked.display.length ? looked.display.join("\n") : " ";
  at("lamps").replaceChildren(
    ...Object.entries(looked.lamps).map(([name, on]) => make("li", on ? "on" : "", `${LAMPS[name] || name}: ${on ? "on" : "off"}`))
  );
  at("sounds").textContent = !looked.sounds ? "The buzzer has not sounded." : looked.sounds === 1 ? "The buzzer has sounded once." : `The buzzer has sounded ${looked.sounds} times.`;
  at("cables").textContent = looked.out.length ? `Pulled: ${looked.out.map(deviceInWords).join(", ")}.` : "Every device is plugged in.";
  const held = looked.hand.length;
  at("in-hand").textContent = held ? `In your hand: ${held === 1 ? "one card" : `${held} cards`}${looked.hand.some((card) => card !== "back") ? `, showing ${looked.hand.filter((card) => card !== "back").join(", ")}` : ""}.` : "Nothing is in your hand: dealing takes the shoe's next card.";
}

function drawWhose() {
  at("whose").textContent = looked.visited ? "You deal. The dealer waits." : "The simulated dealer deals.";
  at("take-over").disabled = looked.visited;
  at("hand-back").disabled = !looked.visited;
  for (const element of document.querySelectorAll("[data-hands]")) element.disabled = !looked.visited;
  at("zones").classList.toggle("idle", !looked.visited);
}

// ---- rulings

function ruled(ruling) {
  const item = make("li", ruling.waits ? "waits" : "");
  const head = make("p", "ruling-head");
  head.append(make("span", "clause", clauseInWords(ruling.rule)), make("span", "what", ruling.irregularity_words + (ruling.seat ? `, seat ${ruling.seat}` : "")), make("span", "when", `${timeWithOffset(ruling.wall)} · ${ruling.id}`));
  const outcome = make("p", "outcome");
  outcome.append(make("b", "", [ruling.outcome_words, ...ruling.also_words].join(", then ")), ` · ${ruling.rulebook}`);
  item.append(head, make("p", "text", ruling.text), outcome);
  return item;
}

let shown = "";

function drawTold() {
  at("rulebook").textContent = state.rulebook ? state.rulebook.title : "no game";
  at("phase").textContent = state.phase;
  at("prompt").textContent = state.prompt;
  at("amount-unit").textContent = state.amounts ? `Amount, ${unit(state.amounts)}` : "Amount";
  at("chip").textContent = `Drop a chip of ${amount(JSON.parse(at("chip").dataset.body).cents, state.amounts)}`;
  drawReports(state);
  const now = JSON.stringify(state.rulings);
  if (now === shown) return;
  shown = now;
  at("answers").replaceChildren(...state.rulings.slice(0, 8).map(ruled));
  at("no-answers").hidden = state.rulings.length > 0;
}

// ---- looking and acting

async function look() {
  due = null;
  const counts = asks();
  try {
    const told = await ask("GET", ROOT);
    if (!counts()) return;
    looked = told;
  } catch (fault) {
    if (counts()) at("refusal").textContent = `The devices cannot be seen: ${fault.message}.`;
    return;
  }
  sendAlong(looked.csrf);
  drawWhose();
  drawDevices();
  drawTable(at("table"), asLaid(), state.amounts);
}

function lookSoon() {
  if (due === null) due = setTimeout(look, LOOK_EVERY);
}

async function send(path, body) {
  at("refusal").textContent = "";
  try {
    const told = await ask("POST", ROOT + path, body === undefined ? {} : body);
    if (told.refused.length) at("refusal").textContent = `The table does not take it: ${told.refused.join("; ")}.`;
  } catch (fault) {
    at("refusal").textContent = `Not done: ${fault.message}.`;
  }
  await look();
}

at("take-over").addEventListener("click", () => send("/take-over"));
at("hand-back").addEventListener("click", () => send("/hand-back"));
at("follow").addEventListener("click", () => send("/follow"));
for (const one of document.querySelectorAll("button[data-to]")) {
  one.addEventListener("click", () => send(one.dataset.to, JSON.parse(one.dataset.body)));
}
at("seat-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const put = at("amount").value;
  const body = { seat: Number(at("seat").value), action: at("action").value };
  if (put !== "") body.cents = untyped(put, state.amounts);
  send("/seats", body);
});
at("cable-form").addEventListener("submit", (event) => {
  event.preventDefault();
  send("/cables", { device: at("device").value, do: event.submitter.value });
});

drawZones();
drawTold();
if (await begin()) {
  await look();
  follow(
    state,
    (now) => {
      state = now;
      drawTold();
      lookSoon();
    },
    () => null
  );
}
