// Every table of the floor: what waits at any of them, gravest and oldest first, above a tile for each.

import { acknowledgements, lineItem, linesOf, shelvedInWords, tableName, timesInWords, unseen } from "./alarm-lines.js";
import { beginAnswers, openAnswer, provedWords } from "./pit-custody.js";
import { beginDecisions, decide, open } from "./decisions.js";
import { byName, followTables, now, tableCount, take, waiting } from "./pit-watch.js";
import { at, begin, button, make, may, notice, pressing, put, redraw, since } from "./shell.js";
import { decisionsUpon, deviceInWords } from "./vocabulary.js";

const SHELVED_NAMED = 3;
const tiles = new Map(); // by name: the item

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

function drawItems() {
  if (pressing()) {
    setTimeout(drawItems, 50); // it moves what stands below
    return;
  }
  const all = waiting();
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

function row(list, term, words, bad = false) {
  list.append(make("dt", "", term), make("dd", bad ? "bad" : "", words));
}

// How many are not told, each with who shelved it and until when.
function shelvedItem(table) {
  const item = make("dd", "shelved", `${table.shelved.length}`);
  for (const one of table.shelved.slice(0, SHELVED_NAMED)) item.append(make("small", "", one.until === null ? one.text : shelvedInWords(one, one.until, table.zone)));
  const ends = new Map(table.shelved.filter((one) => one.ends && may("decide")).map((one) => [JSON.stringify(one.ends), one]));
  for (const one of [...ends.values()].slice(0, SHELVED_NAMED)) item.append(button(ends.size > 1 ? `End shelving: ${one.text}` : "End shelving", () => changeShelf(table.name, one.ends)));
  return item;
}

function drawTile(table) {
  const known = tiles.get(table.name);
  const item = known || make("li");
  const waits = table.items.filter(unseen);
  item.className = !table.connected ? "away" : waits.some((one) => one.priority === "high") ? "grave" : waits.length ? "waits-here" : "";
  item.dataset.item = table.name;
  const title = make("h3");
  title.append(tableName(table.name, table.page), make("small", "", table.round === null ? "" : `round ${table.round}`));
  const list = make("dl");
  row(list, "Phase", table.phase ?? "not known", table.stopped);
  if (table.testing) row(list, "Test mode", "devices are being tested", true);
  if (table.broadcast) row(list, "Broadcast", "cards of rounds that are over go to it");
  if (table.level !== null) row(list, "Level", `${table.level}`);
  const age = make("dd", "age", "–");
  if (table.round_since !== null) age.dataset.since = table.round_since;
  list.append(make("dt", "", "Round's age"), age);
  const link = make("dd", table.connected ? "" : "bad age", table.connected ? "connected" : "no connection");
  if (table.floord) link.append(make("small", "", `through ${table.floord}`));
  if (!table.connected && table.heard !== null) Object.assign(link.dataset, { since: table.heard, state: "no connection" });
  list.append(make("dt", "", "Link"), link);
  const lag = table.lag === null ? "not known" : table.lag === 0 ? "up to date" : `${table.lag} entries behind`;
  row(list, "Custody", table.forked ? "FORKED" : lag, table.forked || table.lag > 500);
  row(list, "Devices", table.offline.length ? `offline: ${table.offline.map(deviceInWords).join(", ")}` : `${table.devices} online`, table.offline.length > 0);
  if (table.zone) {
    row(list, "Zone", table.zone);
    list.lastChild.className = "wide";
  }
  if (table.unread) row(list, "Not read", `${table.unread} entries: kept as they are`);
  if (table.shelved.length) list.append(make("dt", "", "Shelved"), shelvedItem(table));
  redraw(item, [title, list]);
  if (!known) {
    tiles.set(table.name, item);
    const box = at("tables");
    const isLast = !box.lastElementChild || byName(box.lastElementChild.dataset.item, table.name) < 0;
    box.insertBefore(item, isLast ? null : [...box.children].find((one) => byName(one.dataset.item, table.name) > 0));
  }
}

// Times go on by themselves, once a second and nowhere else.
function drawAges() {
  const times = at("items").querySelectorAll(":scope > li > .times");
  if (times.length === lines.length) times.forEach((one, index) => (one.textContent = timesInWords(lines[index], now())));
  for (const one of document.querySelectorAll(".age")) {
    const words = one.dataset.since ? since(now() - Number(one.dataset.since)) : "";
    const text = [one.dataset.state, words].filter(Boolean).join(", ") || (one.tagName === "DD" ? "–" : "");
    if (one.textContent !== text) one.textContent = text;
  }
}

// ---- all of it

function draw(news) {
  if (news.whole) {
    tiles.clear();
    at("tables").replaceChildren();
  }
  for (const table of [...news.tables].sort((one, other) => byName(one.name, other.name))) drawTile(table);
  put("proved", provedWords(news.proof));
  at("no-tables").hidden = tableCount() > 0;
  at("tables-count").textContent = tableCount() ? `(${tableCount()})` : "";
  drawItems();
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
  setInterval(drawAges, 1000);
}
