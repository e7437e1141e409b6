// Rounds and rulings of all tables that somebody sees, and how much there was of each. The address holds what is looked for.

import { ask } from "./api.js";
import { beginFilter } from "./filter.js";
import { at, begin, make, moment, momentAt, putRows, since, watchSession } from "./shell.js";
import { timeIn, timesAreGood } from "./time-field.js";
import { beginSentence, clauseInWords, wordsFor } from "./vocabulary.js";

const A_SHIFT = 8 * 3600;
const AGAIN_AFTER = 30000;
const COUNTS = ["Rounds", "Misdeals", "Took on average", "Rulings", "Alarms"];
const HEADS = {
  "by-table": ["Table", ...COUNTS],
  "by-hour": ["Hour", ...COUNTS],
  rulings: ["When", "Table", "Clause", "What", "Seat", "Outcome", "Decided", "Round"],
  rounds: ["Began", "Table", "Round", "Took", "Book", "Result", "Rulings", "Dealer"],
};
const zones = new Map(); // by table, where it is another one than this page's
const shown = new Set(); // what the two lists have, by table and entry
let asked = null; // what was found last was asked for so
let before = null;

function row(name, cells) {
  const made = make("tr");
  made.append(...cells.map((words) => make(name, "", words === null || words === undefined ? "–" : `${words}`)));
  for (const head of made.querySelectorAll("th")) head.scope = "col";
  return made;
}

const amounts = (one) => [one.rounds, one.misdeals, one.rounds ? since(one.seconds / one.rounds) : null, one.rulings, one.alarms];

function decided(ruling) {
  if (ruling.decision) return `${wordsFor("decisions", ruling.decision)}${ruling.staff ? `, ${ruling.staff}` : ""}`;
  return ruling.pending ? "nobody yet" : "";
}

const rows = {
  rulings: (one) => [momentAt(one.at, zones.get(one.table)), one.table, one.rule && clauseInWords(one.rule), one.irregularity && wordsFor("irregularities", one.irregularity), one.seat, one.outcome && beginSentence(wordsFor("outcomes", one.outcome)), decided(one), one.round],
  rounds: (one) => [momentAt(one.began, zones.get(one.table)), one.table, one.number, one.ended ? since(one.ended - one.began) : "in progress", one.book, one.result && wordsFor("phases", one.result), one.rulings || "", one.dealer],
};
const keys = { rulings: (one) => `ruling ${one.table} ${one.entry}`, rounds: (one) => `round ${one.table} ${one.number} ${one.began}` };

function query() {
  const form = new FormData(at("filter"));
  const wanted = new URLSearchParams();
  const until = timeIn("until") ?? Math.max(Date.now() / 1000, timeIn("since") ?? 0);
  wanted.set("until", until);
  wanted.set("since", timeIn("since") ?? until - A_SHIFT);
  for (const name of ["table", "kind"]) if (form.get(name)) wanted.set(name, form.get(name));
  return wanted;
}

function add(name, found, more) {
  const news = found.filter((one) => !shown.has(keys[name](one)));
  for (const one of news) shown.add(keys[name](one));
  putRows(at(name), news.map((one) => row("td", rows[name](one))), more);
}

async function find(more, counts) {
  if (!timesAreGood()) return;
  const looked = more && asked !== null ? asked : query();
  const wanted = new URLSearchParams(looked);
  if (more && before !== null) wanted.set("before", before);
  at("told").textContent = "";
  try {
    const found = await ask("GET", `/search?${wanted}`);
    if (!counts()) return;
    asked = looked;
    for (const [name, heads] of Object.entries(HEADS)) at(`${name}-heads`).replaceChildren(row("th", heads));
    if (!more) shown.clear();
    putRows(at("by-table"), found.tables.map((one) => row("td", [one.table, ...amounts(one)])));
    putRows(at("by-hour"), found.hours.map((one) => row("td", [moment(one.hour), ...amounts(one)])));
    for (const name of Object.keys(rows)) add(name, found[name], more);
    for (const name of Object.keys(HEADS)) at(name).closest("section").hidden = !at(name).rows.length;
    before = found.before;
    at("more").hidden = before === null;
    if (!shown.size && !found.tables.length) at("told").textContent = "Nothing found.";
  } catch (fault) {
    if (counts()) at("told").textContent = `Could not load: ${fault.message}.`;
  }
}

function print() {
  if (!timesAreGood()) return;
  const wanted = query();
  wanted.delete("kind");
  location.assign(`/reports/print?${wanted}`);
}

const look = beginFilter(find);
at("report").addEventListener("click", print);
// Which zone a table's times are in. What is found is shown without it too.
async function learnZones() {
  const pit = await ask("GET", "/pit").catch(() => ({ tables: [] }));
  for (const table of pit.tables) if (table.zone) zones.set(table.name, table.zone);
}

if (await begin()) {
  await learnZones();
  look(false);
  setInterval(watchSession, AGAIN_AFTER);
}
