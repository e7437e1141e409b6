// The desk of waiting lists: who reports is added by the keyboard, the first of each list is called, seated or passed over.

import { ask } from "./api.js";
import { beginSteps, cardRead, failed, follow, openStep, showRefusal, take } from "./desk-steps.js";
import { clauseOf, hms } from "./floor-words.js";
import { inOrder } from "./late.js";
import { at, begin, button, make, moment, notice, putRows, redraw, since, timeWithOffset, watchSession } from "./shell.js";

const EVERY = 1500;
const id = at("desk").dataset.room;
const MATTERS = { report: "To report", order: "Order", hold: "Held for", passing: "Passed over", leaving: "To leave", transfers: "To change tables", balance: "Balanced tables" };
const STEPS = {
  "waiting.made": "lists opened",
  "game.listed": "list of a game opened",
  "game.tables": "tables of a game named",
  "game.closed": "list of a game closed",
  "waiting.joined": "waits",
  "waiting.corrected": "name or card corrected",
  "transfer.approved": "change of tables approved",
  "waiting.called": "is called",
  "call.taken_back": "call taken back",
  "waiting.sat_down": "sat down",
  "waiting.passed_over": "passed over",
  "waiting.taken_off": "taken off",
  "waiting.moved": "moved to another list",
  "room.closed": "all lists closed",
};

const opened = new Set(); // numbers whose other buttons are in sight
const asks = inOrder();
let desk = null;
let heard = performance.now();

const now = () => desk.t + (performance.now() - heard) / 1000;

// `table-1 4`: a table's name, a blank, and a seat; without a seat the table alone.
function placeRead(text) {
  const [, table, seat] = /^(.*\S)\s+([0-9]{1,2})$/.exec(text.trim()) || [null, text.trim(), null];
  return { table, seat: seat === null ? null : Number(seat) };
}

const placeInWords = (place) => (place.seat === null ? place.table : `${place.table}, seat ${place.seat}`);

// ---- the tables of a game

// `table-1 1-9`, a line for each table; seats also as `1-4,6-9`.
function tablesRead(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    const [, table, seats] = /^(.*\S)\s+([0-9,-]+)$/.exec(line) || [null, line, ""];
    return { table, seats: seats.split(",").filter(Boolean).flatMap(seatsRead) };
  });
}

function seatsRead(part) {
  const [first, last = first] = part.split("-").map(Number);
  return Array.from({ length: Math.max(0, Math.min(last - first + 1, 99)) }, (_, index) => first + index);
}

const seatsInWords = (seats) => {
  const whole = seats.at(-1) - seats[0] === seats.length - 1;
  return whole ? `${seats[0]}-${seats.at(-1)}` : seats.join(",");
};

const tablesInWords = (game) => game.tables.map((one) => `${one.table} ${seatsInWords(one.seats)}`).join("\n");

// Why the seats of a table cannot be offered by one press: its record may be old, or nobody plays this game there.
function unsureInWords(one) {
  const seats = one.free.length ? `by its record free: ${one.free.join(", ")}` : "by its record none was free";
  const words = {
    behind: `${seats}; the rest of its record is not here yet. Ask there`,
    away: `not connected since ${one.heard === null ? "?" : timeWithOffset(one.heard)}; ${seats}. Ask there`,
    closed: "closed",
    tournament: "plays a tournament",
    never: "the floor has no record of it",
  };
  return words[one.known] || words.never;
}

// A press and Enter call the first of the list; whom and whither, the form says before. It is taken behind what this desk
// shows, so who was first and is not any more gets no seat by it.
function offer(one, seat, game, first) {
  const place = placeInWords({ table: one.table, seat });
  if (first === undefined) return make("span", "", `${seat}`);
  const call = () => openStep({
    title: "Call", about: `${first.name}, ${game.name}: ${place}`, ev: "waiting.called",
    fixed: { number: first.number, table: one.table, seat }, why: "a seat is free",
  });
  const made = button(`${seat}`, call);
  made.setAttribute("aria-label", `Call ${first.name} to ${place}`);
  made.title = `Call ${first.name} to ${place}`;
  return made;
}

function tableLine(one, game, first) {
  const line = make("p", "free");
  line.classList.toggle("unsure", one.known !== "now");
  line.dataset.table = one.table;
  line.append(make("b", "", one.table), " ");
  if (one.known !== "now") line.append(unsureInWords(one));
  else if (!one.free.length) line.append("no seat is free");
  else line.append(first === undefined ? "free:" : `free, calls ${first.name}:`, ...one.free.flatMap((seat) => [" ", offer(one, seat, game, first)]));
  return line;
}

const nameTablesOf = (game) => openStep({
  title: "Tables of this game", about: game.name, ev: "game.tables", fixed: { game: game.id }, why: "spread there",
  fields: [{ name: "tables", words: "A table with its seats in each line", kind: "lines", rows: 4, value: tablesInWords(game), placeholder: "table-1 1-9", optional: true, read: tablesRead }],
});

// The first seat that is free for sure, as the form of a call has it.
function freePlace(game) {
  const one = game.tables.find((table) => table.known === "now" && table.free.length);
  return one === undefined ? "" : `${one.table} ${one.free[0]}`;
}

// ---- one person

function stateInWords(one) {
  if (one.held !== null) {
    const left = one.held.until - now();
    return `${placeInWords(one.held)}: ${left > 0 ? `held for ${hms(left)} more` : `held until ${hms(-left)} ago`}`;
  }
  const said = [`waits for ${since(now() - one.since)}`];
  if (one.sits !== null) said.push(`sits at ${placeInWords(one.sits)}`, one.needs_approval ? "not approved yet" : "approved");
  if (one.passed) said.push(`passed over: ${one.passed}`);
  return said.join(", ");
}

// What is done most, and what else can be done.
function toolsOf(one, game, first) {
  const about = `${one.name}, ${game.name}`;
  const fixed = { number: one.number };
  const step = (words, asked, className) => button(words, () => openStep({ title: words.replace("…", ""), about, fixed, ...asked }), className);
  const off = step("Take off…", { ev: "waiting.taken_off", why: "has left" });
  if (one.held !== null) {
    const over = one.held.until <= now();
    const sits = step("Sits down", { ev: "waiting.sat_down", why: "took the seat" }, over ? "" : "main");
    const passes = step("Pass over…", { ev: "waiting.passed_over", fixed: { ...fixed, declined: !over }, why: over ? "did not come" : "declined the seat" }, over ? "main" : "");
    return [[sits, passes], [step("Take the call back…", { ev: "call.taken_back" }), off]];
  }
  const place = { name: "place", words: "Table and seat", placeholder: "table-1 4", value: freePlace(game) };
  const next = one.needs_approval ? step("Approve the change…", { ev: "transfer.approved" }, "main") : step("Call…", { ev: "waiting.called", why: "a seat is free", fields: [place], make: (values) => placeRead(values.place) }, first ? "main" : "");
  const fields = [{ name: "name", words: "Name", value: one.name }, { name: "person", words: "Card number (optional)", value: one.card, optional: true }];
  const more = [off, step("Correct…", { ev: "waiting.corrected", why: "typed wrongly", fields, make: ({ name, person }) => ({ name, person: cardRead(person) || name }) })];
  const others = desk.games.filter((other) => other.id !== game.id).map((other) => [other.id, other.name]);
  if (others.length) more.unshift(step("Another list…", { ev: "waiting.moved", why: "asked for it", fields: [{ name: "game", words: "Game", kind: "select", options: others }] }));
  return [[next], more];
}

function person(one, game, place, first) {
  const item = make("li", one.held === null ? "" : "called");
  item.classList.toggle("over", one.held !== null && one.held.until <= now());
  item.dataset.item = `${one.number}`;
  const words = make("small", "left", stateInWords(one));
  const [often, more] = toolsOf(one, game, first).map((made) => {
    const tools = make("p", "tools");
    tools.append(...made);
    return tools;
  });
  const each = make("details");
  each.open = opened.has(one.number);
  each.addEventListener("toggle", () => opened[each.open ? "add" : "delete"](one.number));
  each.append(make("summary", "", "More"), more);
  item.append(make("span", "place", `${place}`), make("b", "", one.name));
  if (one.card) item.append(make("small", "", `card ${one.card}`));
  item.append(words, often, each);
  return item;
}

function list(game) {
  const box = make("section");
  box.dataset.game = game.id;
  const title = make("h2", "", game.name);
  title.append(make("small", "", `${game.waits.length} wait, seats are held for ${Math.round(game.hold / 60)} min`));
  const first = game.waits.find((one) => one.may_be_called);
  const lines = make("ol");
  lines.append(...game.waits.map((one, index) => person(one, game, index + 1, one === first)));
  box.append(title, ...game.tables.map((one) => tableLine(one, game, first)), lines);
  const tools = make("p", "tools");
  tools.append(button("Tables…", () => nameTablesOf(game)));
  if (!game.waits.length) {
    tools.append(button("Close this list…", () => openStep({ title: "Close this list", about: game.name, ev: "game.closed", fixed: { game: game.id }, why: "the game has ended" })));
    box.append(make("p", "quiet", "Nobody waits."));
  }
  box.append(tools);
  return box;
}

// ---- the whole

function draw() {
  follow(desk);
  const waits = desk.games.flatMap((game) => game.waits);
  const called = waits.filter((one) => one.held !== null).length;
  at("desk-title").textContent = desk.title;
  at("desk-counts").textContent = [`${waits.length - called} wait`, `${called} called`, desk.closed ? "closed" : ""].filter(Boolean).join(" · ");
  redraw(at("games"), desk.games.map(list));
  at("no-games").hidden = desk.games.length > 0;
  const game = at("join-game").value;
  at("join-game").replaceChildren(...desk.games.map((one) => Object.assign(make("option", "", one.name), { value: one.id })));
  if (desk.games.some((one) => one.id === game)) at("join-game").value = game;
  at("rules").replaceChildren(...desk.rules.flatMap((one) => [make("dt", "", MATTERS[one.matter] || one.matter), make("dd", "", [`${one.text}${clauseOf(one.clause)}`, one.note].filter(Boolean).join(" "))]));
  putRows(at("log"), [...desk.log].reverse().map(logged));
}

function logged(one) {
  const row = make("tr");
  const about = [STEPS[one.ev] || one.ev, one.name || "", one.number ? `number ${one.number}` : "", one.table ? placeInWords(one) : "", one.game || ""].filter(Boolean).join(", ");
  row.append(make("td", "n", one.seq), make("td", "n", moment(desk.wall + one.t)), make("td", "long", about), make("td", "", one.who), make("td", "long", one.why));
  return row;
}

// What tables say of their seats changes without a step.
const seatsOf = (told) => JSON.stringify(told.games.map((game) => game.tables.map((one) => [one.table, one.free, one.known])));

export async function look(byItself = false) {
  const counts = asks();
  try {
    const told = await ask("GET", `/waiting/${id}`, undefined, byItself);
    if (!counts()) return; // the desk's own look, behind a step, came before it
    heard = performance.now();
    const changed = desk === null || told.seq !== desk.seq || seatsOf(told) !== seatsOf(desk);
    desk = told;
    document.body.classList.remove("lost");
    at("live").textContent = "live";
    if (changed) draw();
    else tick();
  } catch (fault) {
    if (!counts()) return;
    document.body.classList.add("lost");
    at("live").textContent = fault.status === 0 ? "no connection" : fault.message;
    if (fault.status === 401) watchSession();
  }
}

// Between two events the seconds alone go on; a seat whose time is over gets other buttons.
function tick() {
  follow(desk);
  for (const game of desk.games) {
    for (const one of game.waits) {
      const item = document.querySelector(`#games [data-item="${one.number}"]`);
      if (item === null) continue;
      const over = one.held !== null && one.held.until <= now();
      if (over !== item.classList.contains("over")) return draw();
      item.querySelector(".left").textContent = stateInWords(one);
    }
  }
}

// ---- by hand

async function join(event) {
  event.preventDefault();
  const form = event.target;
  const { name, person: card, game, from } = form.elements;
  const said = { ev: "waiting.joined", number: desk.next, name: name.value.trim(), person: cardRead(card.value) || name.value.trim(), game: game.value };
  if (from.value.trim()) {
    const place = placeRead(from.value);
    Object.assign(said, { from_table: place.table, from_seat: place.seat });
  }
  const typed = [name, card, from].map((field) => field.value);
  const stays = () => [name, card, from].every((field, index) => field.value === typed[index]); // nobody has begun the next
  try {
    await take(said, "reported at the desk");
    if (!stays()) return;
    for (const place of form.querySelectorAll("[data-field]")) place.textContent = "";
    for (const field of [name, card, from]) field.value = "";
    name.focus();
  } catch (fault) {
    if (stays()) showRefusal(form, fault);
    else failed(said.name, fault);
  }
}

function listGame() {
  const fields = [
    { name: "name", words: "Name for people" },
    { name: "game", words: "Short name", placeholder: "nl-1-2" },
    { name: "hold_minutes", words: "Minutes that a seat is held (empty: as the rules say)", optional: true, read: (text) => (text.trim() ? Number(text) : null) },
  ];
  openStep({ title: "Open a list", ev: "game.listed", fields, why: "the game is spread" });
}

addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || desk === null) return;
  if (event.key.toLowerCase() === "n") {
    event.preventDefault();
    at("join-name").focus();
  } else if (desk.games[Number(event.key) - 1]) {
    event.preventDefault();
    const box = at("games").children[Number(event.key) - 1];
    (box.querySelector(".main") || box.querySelector("button"))?.focus();
  }
});

// The floor's tables by name: whoever is called goes to one of them.
async function nameTables() {
  const pit = await ask("GET", "/pit").catch((fault) => (notice(`Could not load: ${fault.message}.`), null));
  if (pit) at("tables").replaceChildren(...pit.tables.map((table) => Object.assign(make("option"), { value: `${table.name} ` })));
}

if (await begin()) {
  beginSteps(null, look, "waiting");
  at("join").addEventListener("submit", join);
  at("list-game").addEventListener("click", listGame);
  at("close-room").addEventListener("click", () => openStep({ title: "Close all lists", ev: "room.closed", why: "the room closes" }));
  await Promise.all([look(), nameTables()]);
  setInterval(() => look(true), EVERY);
}
