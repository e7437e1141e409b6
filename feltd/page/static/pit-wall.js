// The wall view of the pit: all tables on one screen, the gravest first, to be read from four metres.

import { screenOf } from "./screen.js";
import { at, make, put, since } from "./shell.js";
import { keepLine } from "./stream.js";

const LEVELS = { normal: "NORMAL", decide: "DECIDE", stopped: "STOPPED", unknown: "NOT LIVE" };
const GRAVEST_FIRST = ["stopped", "decide", "normal"];
const PRIORITIES = ["high", "medium", "low"];
const READABLE = 0.45; // of the letters' full size: before they become smaller, fewer tables say their cause
const STEPS = 24; // of the letters' size, from full to a twelfth
const WITH_CAUSE = [Infinity, 10, 6, 3]; // tables, the gravest

const byName = new Intl.Collator("en", { numeric: true }).compare;
const name = at("live").textContent;
const tables = new Map(); // by name
let wrong = []; // with the floor itself
let wall = 0; // the floor's clock when it last spoke
let heard = performance.now();

const now = () => wall + (performance.now() - heard) / 1000;

// ---- what each says, the gravest and then the oldest first

const unseen = (item) => !item.acknowledged || item.rulings.length > 0;

function lineOf(table) {
  const waits = table.items.filter(unseen);
  const priorities = waits.map((item) => PRIORITIES.indexOf(item.priority)).filter((one) => one >= 0);
  const begun = [...waits.map((item) => item.since), table.connected ? null : table.heard].filter(Boolean);
  return { name: table.name, level: table.band.level, words: table.band.words, away: !table.connected, rank: Math.min(...priorities, PRIORITIES.length), since: begun.length ? Math.min(...begun) : null };
}

const ofFloor = (item) => ({ name: "Floor", level: "decide", words: item.text, away: false, rank: 0, since: item.since });

const grave = (one, other) => GRAVEST_FIRST.indexOf(one.level) - GRAVEST_FIRST.indexOf(other.level) || one.rank - other.rank || (one.since ?? 0) - (other.since ?? 0) || byName(one.name, other.name);

// What all names begin with, up to their numbers: it would take the room of the numbers.
export function commonStart(names) {
  if (names.length < 2) return "";
  let start = names[0];
  for (const one of names) while (!one.startsWith(start)) start = start.slice(0, -1);
  start = start.replace(/[\p{L}\p{N}]+$/u, "");
  return start.length > 1 ? start : "";
}

// ---- drawing

function causeItem(line) {
  const item = make("li", `${line.level}${line.away ? " away" : ""}`);
  const age = make("span", "age");
  if (line.since !== null) age.dataset.since = line.since;
  item.append(make("b", "", line.name), make("span", "cause", line.words), age);
  return item;
}

function cell(line, start) {
  return make("li", `${line.level}${line.away ? " away" : ""}`, line.name.slice(start.length));
}

function drawAges() {
  for (const one of document.querySelectorAll(".age[data-since]")) {
    const words = since(now() - Number(one.dataset.since));
    if (one.textContent !== words) one.textContent = words;
  }
}

function inSight() {
  const pit = at("pit");
  return pit.scrollHeight <= pit.clientHeight + 1 && [at("head"), at("rest-title"), ...pit.getElementsByTagName("li")].every((one) => one.scrollWidth <= one.clientWidth + 1);
}

// The largest letters that leave everything in sight; gives their part of the full size.
function largest() {
  let [good, bad] = [STEPS + 1, -1];
  while (good - bad > 1) {
    const step = Math.floor((good + bad) / 2);
    at("pit").style.setProperty("--part", (1 / 12) ** (step / STEPS));
    if (inSight()) good = step;
    else bad = step;
  }
  const part = (1 / 12) ** (Math.min(good, STEPS) / STEPS);
  at("pit").style.setProperty("--part", part);
  return part;
}

let lines = [];

function fill(most) {
  const notNormal = lines.filter((line) => line.level !== "normal");
  const normal = lines.filter((line) => line.level === "normal").sort((one, other) => byName(one.name, other.name));
  const start = commonStart([...tables.keys()]);
  const cells = [...notNormal.slice(most), ...normal];
  at("pit").style.setProperty("--wide", Math.max(2, ...cells.map((line) => line.name.length - start.length)));
  at("causes").replaceChildren(...notNormal.slice(0, most).map(causeItem));
  at("more").replaceChildren(...notNormal.slice(most).map((line) => cell(line, line.name.startsWith(start) ? start : "")));
  at("normal").replaceChildren(...normal.map((line) => cell(line, start)));
  at("rest").hidden = normal.length === 0;
  at("rest-title").textContent = [`${normal.length} normal`, start && `${start}…`].filter(Boolean).join(": ");
  for (const list of ["causes", "more"]) at(list).hidden = !at(list).children.length;
  drawAges();
}

function fit() {
  for (const most of WITH_CAUSE) {
    if (most !== Infinity && at("causes").children.length <= most) continue;
    fill(most);
    if (largest() >= READABLE) return;
  }
}

let drawn = "";

function draw() {
  lines = [...wrong.map(ofFloor), ...[...tables.values()].map(lineOf)].sort(grave);
  const text = JSON.stringify(lines);
  if (text === drawn) return;
  drawn = text;
  fill(Infinity);
  fit();
}

function show(level, words) {
  at("pit").className = level;
  put("level", LEVELS[level]);
  put("words", words);
}

function counted() {
  const count = (level) => [...tables.values()].filter((table) => table.band.level === level).length;
  const [stopped, decide] = [count("stopped"), count("decide")];
  const broadcast = [...tables.values()].filter((table) => table.broadcast).length;
  if (!tables.size) return "No table yet";
  const parts = [stopped ? `${stopped} of ${tables.size} stopped` : "", decide ? `${decide} of ${tables.size} wait` : "", stopped + decide ? "" : `${tables.size} tables`];
  return [...parts, broadcast ? `${broadcast} with a broadcast` : ""].filter(Boolean).join(", ");
}

function take(news) {
  [wall, heard] = [news.wall, performance.now()];
  wrong = news.wrong;
  if (news.whole) tables.clear();
  for (const table of news.tables) tables.set(table.name, table);
  show(news.band.level, counted());
  draw();
}

take(JSON.parse(at("tables-now").textContent));
new ResizeObserver(fit).observe(at("pit"));
setInterval(drawAges, 1000);
const screen = screenOf(() => name, (when) => show("unknown", when));
keepLine("tables", (news) => (screen.came(), take(news)), screen.cut);
