// The alarm log: every alarm of the record, filtered. The address holds what is looked for, so that it can be sent on.

import { ask } from "./api.js";
import { fetchFile } from "./files.js";
import { beginFilter } from "./filter.js";
import { watchOver } from "./live.js";
import { at, begin, make, moment, putRows } from "./shell.js";
import { timeIn, timesAreGood } from "./time-field.js";

const PAGE = 50;
const SIGNS = { high: "■", medium: "▲", low: "▼" };
let shown = null; // what was looked for, and is shown
let last = null;

function row(alarm) {
  const made = make("tr", alarm.acknowledged === null ? "waits" : "");
  const priority = make("td", `priority ${alarm.priority}`, `${SIGNS[alarm.priority]} ${alarm.priority}`);
  const acknowledged = make("td", alarm.acknowledged === null ? "count" : "", alarm.acknowledged === null ? (alarm.escalated ? "not yet, escalated" : "not yet") : moment(alarm.acknowledged));
  const shelved = alarm.shelved === null ? "–" : `${moment(alarm.shelved)} until ${moment(alarm.shelved_until)}, ${alarm.shelved_by}${alarm.shelved_why ? `: ${alarm.shelved_why}` : ""}`;
  made.append(
    make("td", "", moment(alarm.first_seen)), priority, make("td", "long", alarm.text), acknowledged, make("td", "", alarm.acknowledged_by ?? "–"),
    make("td", "", alarm.ended === null ? "lasts" : moment(alarm.ended)), make("td", "long", shelved), make("td", "n", alarm.times)
  );
  return made;
}

function asked() {
  const form = new FormData(at("filter"));
  const query = new URLSearchParams();
  for (const [name, value] of form) if (value) query.set(name, name === "since" || name === "until" ? timeIn(name) : value);
  return query;
}

async function find(more, counts) {
  if (!timesAreGood()) return;
  const wanted = more && shown !== null ? shown : asked();
  const query = new URLSearchParams(wanted);
  if (more && last !== null) query.set("before", last);
  query.set("limit", PAGE);
  at("told").textContent = "";
  try {
    const found = await ask("GET", `/alarms?${query}`);
    if (!counts()) return;
    shown = wanted;
    putRows(at("found"), found.map(row), more);
    last = found.length ? found.at(-1).entry : null;
    at("more").hidden = found.length < PAGE;
    if (!at("found").childNodes.length) at("told").textContent = "No such alarm in the record.";
  } catch (fault) {
    if (counts()) at("told").textContent = `Could not load: ${fault.message}.`;
  }
}

at("export").addEventListener("click", () => timesAreGood() && fetchFile(`/api/v1/alarms/export?${asked()}`, at("told")));

const look = beginFilter(find);
if (await begin()) {
  look(false);
  watchOver();
}
