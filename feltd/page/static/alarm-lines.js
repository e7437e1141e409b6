// Alarms as lines: those with one likely cause are one line, by the first of them. A table's pages and the pit draw theirs here.
//
// An alarm: `kind`, `priority`, `since`, `over`, `acknowledged`, `escalated`, `text`, `action`, `many`, `rulings` that wait because of
// it, each with `waits` in words; `bare`: nobody acknowledges it, as a ruling alone. At the pit its `table`, and `name`: its kind in words.

import { make, momentAt, since } from "./shell.js";

export const ORDER = ["high", "medium", "low"];
const ESCALATED_AFTER = 60; // seconds after which the table escalates what nobody has acknowledged
const MANY_ANYWHERE = 4; // at several tables: so many of one kind are one line, whatever their cause

// To whoever cannot see its shape and its colour.
export const PRIORITIES = { high: "High: ", medium: "Medium: ", low: "Low: " };

export const unseen = (alarm) => !alarm.acknowledged || alarm.rulings.length > 0;

const causeOf = (alarm) => `${alarm.kind} ${alarm.over} ${alarm.acknowledged} ${alarm.rulings.length > 0}`;

// What came first is nearest to the cause, so a line is its first alarm's.
export function linesOf(alarms) {
  const found = new Map();
  const put = (key, alarm) => (found.has(key) ? found.get(key).alarms.push(alarm) : found.set(key, { key, alarms: [alarm] }));
  const counts = new Map();
  for (const alarm of alarms) counts.set(causeOf(alarm), (counts.get(causeOf(alarm)) || 0) + 1);
  for (const alarm of [...alarms].sort((one, other) => (one.since ?? 0) - (other.since ?? 0))) {
    const together = alarm.many ? counts.get(causeOf(alarm)) > 1 : alarm.table && counts.get(causeOf(alarm)) >= MANY_ANYWHERE;
    put(together ? causeOf(alarm) : `${alarm.table || ""} ${alarm.key}`, alarm);
  }
  const urgency = ({ alarms: [first] }) => ORDER.indexOf(first.priority) + (first.over ? 0.5 : 0) + (unseen(first) ? 0 : ORDER.length);
  return [...found.values()].sort((one, other) => urgency(one) - urgency(other));
}

// What acknowledges these alarms of a line, and no other: those of a kind, a seat and a deck are one decision.
export function acknowledgements(alarms) {
  const found = new Map();
  for (const alarm of alarms) {
    const kind = alarm.alarm ?? alarm.kind;
    const key = JSON.stringify([kind, alarm.seat, alarm.deck, alarm.device === null]);
    if (!found.has(key)) found.set(key, { decision: "acknowledge", ruling: null, alarm: kind, seat: alarm.seat, seen: { until: 0, cleared: alarm.over, devices: [], deck: alarm.deck } });
    const { seen } = found.get(key);
    seen.until = Math.max(seen.until, alarm.t ?? alarm.since);
    if (alarm.device !== null) seen.devices.push(alarm.device);
  }
  return [...found.values()];
}

// `until`: seconds since 1970; `zone`: of a table whose clock is another one than this page's.
export const shelvedInWords = (shelf, until, zone) => `Shelved until ${momentAt(until, zone)} by ${shelf.by}: ${shelf.text}`;

export function inWords(alarms) {
  const [first] = alarms;
  if (alarms.length === 1) return first.text;
  const tables = new Set(alarms.map((alarm) => alarm.table)).size;
  if (tables === 1) return first.many ? first.many.replace("{}", alarms.length) : `${first.name}: ${alarms.length}`;
  return tables === alarms.length ? `${first.name}: ${tables} tables` : `${first.name}: ${alarms.length} at ${tables} tables`;
}

// `now`: the second it is, of the clock that their `since` is of.
export function timesInWords({ alarms }, now) {
  const [first] = alarms;
  const words = [];
  if (alarms.length > 1) words.push(`First: ${[first.table, first.text].filter(Boolean).join(": ")}.`);
  const states = [first.over ? "Cleared" : first.since ? `Active ${since(now - first.since)}` : "", first.bare ? "" : first.acknowledged ? "acknowledged" : "not acknowledged"];
  if (alarms.length === 1 && first.rulings.length) states.push(first.rulings[0].waits);
  if (alarms.some((alarm) => alarm.escalated)) states.push(`no response in ${ESCALATED_AFTER} s: escalated`);
  if (first.note) states.push(first.note);
  return [...words, states.filter(Boolean).join(", ")].join(" ");
}

const opened = new Set(); // lines that show each of their alarms

// A table's name, which leads to its own page in another tab where it has told the address. Only of a web page: floord has
// looked at it, and a link that does something else is none here either. Its host stands beside it: a table whose certificate was
// stolen may name any.
export function tableName(name, page) {
  if (!page || !/^https?:\/\//.test(page)) return make("span", "where", name);
  const link = Object.assign(make("a", "where", name), { href: page, target: "_blank", rel: "noreferrer", title: `${name}'s own page` });
  link.append(" ", make("span", "host", new URL(page).host));
  return link;
}

// A line. `tools(alarms, within)`: its buttons, or those of one `within` it; `named(alarm)`: what is wrong, as a text or a link; `about(alarm)`: what stands below it.
export function lineItem({ key, alarms }, { tools, named = (alarm) => alarm.text, about = () => [] }) {
  const [first] = alarms;
  const group = alarms.length > 1;
  const states = [first.priority, first.rulings.length ? "decide" : "", first.over ? "over" : alarms.some((one) => one.escalated) ? "escalated" : "", unseen(first) ? "" : "seen"];
  const item = make("li", states.filter(Boolean).join(" "));
  item.dataset.item = key;
  const words = make("b");
  words.append(make("span", "unseen", PRIORITIES[first.priority]));
  if (!group && "table" in first) words.append(tableName(first.table || "Floor", first.page), " ");
  words.append(group ? inWords(alarms) : named(first));
  item.append(words, make("span", "times"));
  if (!group && unseen(first) && (first.action || first.over)) item.append(make("small", "", first.over && !first.rulings.length ? "Its cause is over: acknowledge it." : first.action));
  else if (group && first.action && first.table !== undefined) item.append(make("small", "", first.action));
  if (!group) item.append(...about(first));
  item.append(...tools(alarms, false));
  if (!group) return item;
  const each = make("details");
  each.open = opened.has(key);
  each.addEventListener("toggle", () => opened[each.open ? "add" : "delete"](key));
  const list = make("ol");
  for (const alarm of alarms) {
    const one = make("li");
    if (alarm.table) one.append(tableName(alarm.table, alarm.page), " ");
    one.append(named(alarm), ...about(alarm), ...tools([alarm], true));
    list.append(one);
  }
  each.append(make("summary", "", "Each, the first on top"), list);
  item.append(each);
  return item;
}
