// Every table of the floor: what waits at any of them, gravest and oldest first, above a tile for each.

import { beginAnswers, openAnswer, provedWords } from "./pit-custody.js";
import { beginDecisions, decide, open } from "./decisions.js";
import { at, begin, button, make, may, moment, notice, redraw, since } from "./shell.js";
import { keepLine } from "./stream.js";
import { decisionsUpon } from "./vocabulary.js";

const GRAVITY = ["high", "medium", "low"];

const tables = new Map(); // by name
const tiles = new Map(); // by name: the item, and what it was drawn from
let wrong = []; // with the floor itself
let wall = 0; // the floor's clock when it last spoke
let heard = performance.now();
let last = null;

const now = () => wall + (performance.now() - heard) / 1000;
const byName = new Intl.Collator("en", { numeric: true }).compare;

// ---- what waits

function items() {
  const all = wrong.map((item) => ({ ...item, table: "" }));
  for (const table of tables.values()) for (const item of table.items) all.push({ ...item, table: table.name });
  return all.sort((one, other) => one.gravity - other.gravity || (one.since ?? 0) - (other.since ?? 0) || byName(one.table, other.table));
}

function toolsOf(item) {
  const tools = make("p", "tools");
  if (!may("decide")) return tools;
  if (item.kind === "alarm" && !item.acknowledged) tools.append(button("Acknowledge", (event) => acknowledge(event.target, item)));
  if (item.custody && !item.acknowledged) tools.append(button("Acknowledge…", () => openAnswer("acknowledged", item)));
  if (item.custody) tools.append(button("Close…", () => openAnswer("closed", item)));
  if (item.kind === "ruling") for (const decision of decisionsUpon("waiting")) tools.append(button(decision.words, () => open(decision.name, item.ruling, null, item.table)));
  if (item.kind === "ruling") for (const decision of decisionsUpon("given")) tools.append(button(`${decision.words}…`, () => open(decision.name, item.ruling, null, item.table)));
  return tools;
}

async function acknowledge(pressed, item) {
  pressed.disabled = true;
  try {
    const told = await decide({ table: item.table, decision: "acknowledge", ruling: null, alarm: item.alarm, device: item.device });
    if (told.result === "not known") notice(`${item.table}: not known. ${told.words}`);
  } catch (fault) {
    notice(`Not acknowledged: ${fault.message}.`);
  } finally {
    pressed.disabled = false;
  }
}

function itemOf(item) {
  const made = make("li", item.acknowledged ? "seen" : GRAVITY[item.gravity] || "low");
  made.dataset.item = `${item.table} ${item.key}`;
  made.append(make("span", "where", item.table || "Floor"), make("b", "", item.text));
  if (item.clause) made.append(make("span", "clause", item.clause));
  const age = make("span", "quiet age");
  if (item.since) age.dataset.since = item.since;
  age.dataset.state = item.state;
  made.append(age, toolsOf(item));
  if (item.action) made.append(make("small", "", item.action));
  return made;
}

let drawn = "";

function drawItems() {
  const all = items();
  const text = JSON.stringify(all);
  if (text === drawn) return;
  drawn = text;
  redraw(at("items"), all.map(itemOf));
  at("no-items").hidden = all.length > 0;
  at("waits-count").textContent = all.length ? `(${all.length})` : "";
  const unseen = all.filter((item) => !item.acknowledged).length;
  document.title = `${unseen ? `⚠ ${unseen} · ` : ""}${document.title.replace(/^⚠ \d+ · /, "")}`;
  drawAges();
}

// ---- a tile for each table

function row(list, term, words, bad = false) {
  list.append(make("dt", "", term), make("dd", bad ? "bad" : "", words));
}

function drawTile(table) {
  const known = tiles.get(table.name);
  const item = known || make("li");
  const grave = Math.min(9, ...table.items.map((one) => one.gravity));
  item.className = !table.connected ? "away" : grave === 0 ? "grave" : grave < GRAVITY.length ? "waits-here" : "";
  item.dataset.item = table.name;
  const title = make("h3", "", table.name);
  title.append(make("small", "", table.round === null ? "" : `round ${table.round}`));
  const list = make("dl");
  row(list, "Phase", table.phase ?? "not known", table.stopped);
  if (table.level !== null) row(list, "Level", `${table.level}`);
  const age = make("dd", "age", "–");
  if (table.round_since !== null) age.dataset.since = table.round_since;
  list.append(make("dt", "", "Round's age"), age);
  const link = make("dd", table.connected ? "" : "bad age", table.connected ? "connected" : "no connection");
  if (!table.connected && table.heard !== null) Object.assign(link.dataset, { since: table.heard, state: "no connection" });
  list.append(make("dt", "", "Link"), link);
  const lag = table.lag === null ? "not known" : table.lag === 0 ? "up to date" : `${table.lag} entries behind`;
  row(list, "Custody", table.forked ? "FORKED" : lag, table.forked || table.lag > 500);
  row(list, "Devices", table.offline.length ? `offline: ${table.offline.join(", ")}` : `${table.devices} online`, table.offline.length > 0);
  item.replaceChildren(title, list);
  if (!known) {
    tiles.set(table.name, item);
    const box = at("tables");
    const isLast = !box.lastElementChild || byName(box.lastElementChild.dataset.item, table.name) < 0;
    box.insertBefore(item, isLast ? null : [...box.children].find((one) => byName(one.dataset.item, table.name) > 0));
  }
}

// Times go on by themselves, once a second and nowhere else.
function drawAges() {
  for (const one of document.querySelectorAll(".age")) {
    const words = one.dataset.since ? since(now() - Number(one.dataset.since)) : "";
    const text = [one.dataset.state, words].filter(Boolean).join(", ") || (one.tagName === "DD" ? "–" : "");
    if (one.textContent !== text) one.textContent = text;
  }
}

// ---- all of it

function take(news) {
  [wall, heard] = [news.wall, performance.now()];
  const before = JSON.stringify(wrong);
  wrong = news.wrong;
  if (news.whole) {
    tables.clear();
    tiles.clear();
    at("tables").replaceChildren();
  }
  for (const table of [...news.tables].sort((one, other) => byName(one.name, other.name))) {
    tables.set(table.name, table);
    drawTile(table);
  }
  at("proved").textContent = provedWords(news.proof);
  at("no-tables").hidden = tables.size > 0;
  at("tables-count").textContent = tables.size ? `(${tables.size})` : "";
  if (news.tables.length || news.whole || JSON.stringify(wrong) !== before) drawItems();
}

function live() {
  last = new Date();
  document.body.classList.remove("lost");
  at("live").textContent = "live";
}

function lost() {
  document.body.classList.add("lost");
  at("live").textContent = last ? `no connection: as it was at ${moment(last.getTime() / 1000)}` : "no connection";
}

take(JSON.parse(at("tables-now").textContent));
if (await begin()) {
  beginDecisions();
  beginAnswers();
  drawn = "";
  drawItems();
  keepLine("tables", (news) => (live(), take(news)), lost);
  setInterval(drawAges, 1000);
}
