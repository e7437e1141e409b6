// Every table of the floor: what waits at any of them, gravest and oldest first, above a tile for each.

import { acknowledgements, lineItem, linesOf, shelvedInWords, tableName, timesInWords, unseen } from "./alarm-lines.js";
import { beginAnswers, openAnswer, provedWords } from "./pit-custody.js";
import { beginDecisions, decide, open } from "./decisions.js";
import { byName, followTables, now, tableCount, take, waiting } from "./pit-watch.js";
import { at, begin, button, make, may, notice, pressing, put, redraw, since } from "./shell.js";
import { decisionsUpon, deviceInWords } from "./vocabulary.js";

const SHELVED_NAMED = 3;
const AGES_EVERY = 1000; // milliseconds
const tiles = new Map(); // by name: the item, and what it says

// ---- what waits

const AT_ONCE = 8; // tables: the page takes no more than twice as many requests of one person

// Gives why the table has not taken it, or null. `not`: what it has not done then, in words.
async function doneAt(table, order, not) {
  for (;;) {
    try {
      const told = await decide({ table, ...order });
      return told.result === "not known" ? `not known. ${told.words}` : null;
    } catch (fault) {
      const why = fault.message.replace(`${table}: `, "");
      if (fault.status !== 429) return `${not}: ${why}.`;
      await new Promise((done) => setTimeout(done, 1000)); // too many at once: none of it was sent
    }
  }
}

// Of a line of many tables: at all of them at once. One that does not take it holds up no other, and is named.
async function acknowledge(pressed, alarms) {
  pressed.disabled = true;
  const tables = new Set(alarms.map((alarm) => alarm.table));
  const left = [...tables].flatMap((table) => acknowledgements(alarms.filter((alarm) => alarm.table === table)).map((order) => [table, order]));
  const refused = new Map(); // by the reason: the tables
  const oneByOne = async () => {
    while (left.length) {
      const [table, order] = left.shift();
      const why = await doneAt(table, order, "not acknowledged");
      if (why) refused.set(why, new Set([...(refused.get(why) || []), table]));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, oneByOne));
  for (const [why, named] of refused) notice(`${[...named].sort(byName).join(", ")}: ${why}`);
  pressed.disabled = false;
}

// Shelving, and its end: at one table.
async function changeShelf(table, order) {
  const why = await doneAt(table, order, "not done");
  if (why) notice(`${table}: ${why}`);
}

async function openShelving(alarms) {
  const [first] = alarms;
  (await import("./shelving.js")).shelve(first, alarms.length > 1, (order) => changeShelf(first.table, order), first.table);
}

function toolsOf(alarms, within) {
  const [first] = alarms;
  const tools = make("p", "tools");
  const shelves = () => first.may_shelve && !within && alarms.every((alarm) => alarm.table === first.table) && tools.append(button("Shelve…", () => openShelving(alarms)));
  if (!may("decide")) return [];
  if (alarms.length > 1) {
    if (first.alarm && !first.acknowledged) tools.append(button(`Acknowledge these ${alarms.length}`, (event) => acknowledge(event.target, alarms)));
    shelves();
    return [tools];
  }
  for (const ruling of first.rulings) {
    for (const decision of decisionsUpon("waiting")) tools.append(button(decision.words, () => open(decision.name, ruling, null, first.table)));
    for (const decision of decisionsUpon("given")) tools.append(button(`${decision.words}…`, () => open(decision.name, ruling, null, first.table)));
  }
  if (first.alarm && !first.acknowledged) tools.append(button("Acknowledge", (event) => acknowledge(event.target, alarms)));
  shelves();
  if (first.custody && !first.acknowledged) tools.append(button("Acknowledge…", () => openAnswer("acknowledged", first)));
  if (first.custody) tools.append(button("Close…", () => openAnswer("closed", first)));
  return [tools];
}

function about(alarm) {
  return alarm.rulings.map((ruling) => {
    const words = make("small", "due");
    words.append(make("span", "clause", ruling.clause), ` ${alarm.cause === alarm.kind && alarm.bare ? "" : `${ruling.what}. `}${ruling.due}`);
    return words;
  });
}

let drawn = "";
let lines = [];

function drawItems(all) {
  if (pressing()) {
    setTimeout(() => drawItems(waiting()), 50); // it moves what stands below
    return;
  }
  const text = JSON.stringify(all);
  if (text === drawn) return;
  drawn = text;
  lines = linesOf(all);
  redraw(at("items"), lines.map((line) => lineItem(line, { tools: toolsOf, about })));
  at("no-items").hidden = all.length > 0;
  at("waits-count").textContent = all.length ? `(${all.length})` : "";
  const waits = all.filter(unseen).length;
  document.title = `${waits ? `⚠ ${waits} · ` : ""}${document.title.replace(/^⚠ \d+ · /, "")}`;
  drawAges();
}

// ---- a tile for each table

// What a tile says below its name, a line each. `since`: a time that goes on, behind the words if there are any.
function linesIn(table) {
  const line = (term, words, kind = "", more = {}) => ({ term, words, kind, small: "", since: null, shelved: [], ...more });
  const bad = (is) => (is ? "bad" : "");
  const lag = table.lag === null ? "not known" : table.lag === 0 ? "up to date" : `${table.lag} entries behind`;
  const link = { small: table.floord && `through ${table.floord}`, since: table.connected ? null : table.heard };
  const offline = table.offline.length > 0;
  const told = [line("Phase", table.phase ?? "not known", bad(table.stopped))];
  if (table.testing) told.push(line("Test mode", "devices are being tested", "bad"));
  if (table.broadcast) told.push(line("Broadcast", "cards of rounds that are over go to it"));
  if (table.level !== null) told.push(line("Level", `${table.level}`));
  told.push(line("Round's age", "", "age", { since: table.round_since }));
  told.push(line("Link", table.connected ? "connected" : "no connection", table.connected ? "" : "bad age", link));
  told.push(line("Custody", table.forked ? "FORKED" : lag, bad(table.forked || table.lag > 500)));
  told.push(line("Devices", offline ? `offline: ${table.offline.map(deviceInWords).join(", ")}` : `${table.devices} online`, bad(offline)));
  if (table.zone) told.push(line("Zone", table.zone, "wide"));
  if (table.unread) told.push(line("Not read", `${table.unread} entries: kept as they are`));
  if (table.shelved.length) told.push(line("Shelved", `${table.shelved.length}`, "shelved", { shelved: table.shelved }));
  return told;
}

function cell(line, table) {
  const item = make("dd", line.kind, line.words);
  if (line.small) item.append(make("small", "", line.small));
  if (item.classList.contains("age")) {
    item.dataset.state = line.words;
    if (line.since !== null) item.dataset.since = line.since;
    drawAge(item);
  }
  if (line.shelved.length) addShelved(item, table);
  return item;
}

// Who shelved each, until when, and what ends it.
function addShelved(item, table) {
  for (const one of table.shelved.slice(0, SHELVED_NAMED)) item.append(make("small", "", one.until === null ? one.text : shelvedInWords(one, one.until, table.zone)));
  const ends = new Map(table.shelved.filter((one) => one.ends && may("decide")).map((one) => [JSON.stringify(one.ends), one]));
  for (const one of [...ends.values()].slice(0, SHELVED_NAMED)) item.append(button(ends.size > 1 ? `End shelving: ${one.text}` : "End shelving", () => changeShelf(table.name, one.ends)));
}

// Among many tables one changes each moment: of a tile that stands, what is new alone is drawn.
function drawTile(table) {
  const known = tiles.get(table.name);
  const item = known?.item ?? make("li");
  const waits = table.items.filter(unseen);
  const shows = !table.connected ? "away" : waits.some((one) => one.priority === "high") ? "grave" : waits.length ? "waits-here" : "";
  if (item.className !== shows) item.className = shows;
  const lines = linesIn(table);
  const tile = { item, page: table.page, round: table.round === null ? "" : `round ${table.round}`, lines, texts: lines.map((line) => JSON.stringify(line)), waits: pressing(item) };
  if (known && isAlike(known, tile)) renewTile(known, tile, table);
  else redraw(item, wholeTile(tile, table));
  tiles.set(table.name, tile);
  if (!known) putIn(item, table.name);
}

// Whether it has the same lines as before, and no buttons: nothing is replaced that somebody presses. What waited for a
// release may not be drawn yet: the tile is drawn whole then.
const isAlike = (known, tile) => !tile.waits && !known.waits && known.page === tile.page && known.lines.length === tile.lines.length && known.lines.every((line, index) => line.term === tile.lines[index].term && !line.shelved.length);

function wholeTile({ round, lines }, table) {
  const title = make("h3");
  title.append(tableName(table.name, table.page), make("small", "", round));
  const list = make("dl");
  for (const line of lines) list.append(make("dt", "", line.term), cell(line, table));
  return [title, list];
}

function renewTile(known, tile, table) {
  const [title, list] = tile.item.children;
  if (known.round !== tile.round) title.lastChild.textContent = tile.round;
  tile.texts.forEach((text, index) => {
    if (known.texts[index] !== text) list.children[2 * index + 1].replaceWith(cell(tile.lines[index], table));
  });
}

function putIn(item, name) {
  item.dataset.item = name;
  const box = at("tables");
  const isLast = !box.lastElementChild || byName(box.lastElementChild.dataset.item, name) < 0;
  box.insertBefore(item, isLast ? null : [...box.children].find((one) => byName(one.dataset.item, name) > 0));
  watchSight(item);
}

let agesAt = 0;

// Times go on by themselves, once a second and nowhere else: those of tiles in sight, of all where it is printed.
function drawAges(some = inSight) {
  agesAt = performance.now();
  const times = at("items").querySelectorAll(":scope > li > .times");
  if (times.length === lines.length) times.forEach((one, index) => (one.textContent = timesInWords(lines[index], now())));
  for (const item of some) drawAgesOf(item);
}

const drawAgesOf = (item) => item.querySelectorAll(".age").forEach(drawAge);

// Tiles that a browser lays out (pit.css). One that does not say which these are has all of them here.
const inSight = new Set();

function watchSight(item) {
  inSight.add(item);
  item.addEventListener("contentvisibilityautostatechange", ({ skipped }) => {
    if (!skipped) drawAgesOf(item);
    inSight[skipped ? "delete" : "add"](item);
  });
}

addEventListener("beforeprint", () => drawAges(at("tables").children));

function drawAge(one) {
  const words = one.dataset.since ? since(now() - Number(one.dataset.since)) : "";
  const text = [one.dataset.state, words].filter(Boolean).join(", ") || (one.tagName === "DD" ? "–" : "");
  if (one.textContent !== text) one.textContent = text;
}

// ---- all of it

function draw(news, all = waiting()) {
  if (news.whole) {
    tiles.clear();
    inSight.clear();
    at("tables").replaceChildren();
  }
  for (const table of [...news.tables].sort((one, other) => byName(one.name, other.name))) drawTile(table);
  put("proved", provedWords(news.proof));
  at("no-tables").hidden = tableCount() > 0;
  at("tables-count").textContent = tableCount() ? `(${tableCount()})` : "";
  drawItems(all);
  if (performance.now() - agesAt > AGES_EVERY) drawAges(); // in one frame with the news: each costs all tiles something
}

const first = JSON.parse(at("tables-now").textContent);
take(first);
draw(first);
if (await begin()) {
  beginDecisions();
  beginAnswers();
  drawn = "";
  draw(first); // with the buttons of who has signed in
  followTables(draw);
  setInterval(() => performance.now() - agesAt > 1.2 * AGES_EVERY && drawAges(), AGES_EVERY);
}
