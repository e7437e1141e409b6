// What must not be missed, on every page of a table: alarms, rulings that wait for a person, a line that is cut.

import { acknowledgements, lineItem, linesOf, shelvedInWords, timesInWords, unseen } from "./alarm-lines.js";
import { ask } from "./api.js";
import { at, button, make, may, moment, notice, pressing, put, redraw } from "./shell.js";
import { beginSound, tell } from "./sound.js";

export { sounds } from "./sound.js";

let state = null;
let tableTime = null;
let last = null;
let alarms = []; // with the rulings that wait, those without an alarm too

const begun = new Map(); // table seconds by ruling: worked out once, so that a line stays as it is
const waitsInWords = (ruling) => `waits for the ${ruling.authority}`;

function sinceOf(ruling) {
  if (!begun.has(ruling.id)) begun.set(ruling.id, state.t - (state.wall - ruling.wall));
  return begun.get(ruling.id);
}

// The rulings that wait, with their alarms; one without an alarm for itself.
function joined() {
  const waiting = new Map(state.rulings.filter((ruling) => ruling.waits).map((ruling) => [ruling.id, { ...ruling, waits: waitsInWords(ruling) }]));
  const shown = state.alarms.filter((alarm) => (!(alarm.over && alarm.acknowledged) || alarm.rulings.length) && !alarm.shelved);
  const found = shown.map((alarm) => ({ ...alarm, key: `${alarm.kind} ${alarm.device} ${alarm.deck} ${alarm.seat} ${alarm.since}`, rulings: alarm.rulings.map((id) => waiting.get(id)) }));
  for (const { rulings } of found) for (const ruling of rulings) waiting.delete(ruling.id);
  const alone = [...waiting.values()].map((ruling) => ({
    key: `ruling ${ruling.id}`,
    kind: ruling.irregularity,
    priority: "medium",
    since: sinceOf(ruling),
    text: `${ruling.irregularity_words}${ruling.seat ? `, seat ${ruling.seat}` : ""}`,
    rulings: [ruling],
    bare: true,
  }));
  return [...found, ...alone];
}

// Until when, by whom: what is not told for a time. It says so, and who may decide can end it.
function shelfItem(shelf) {
  const until = state.wall + (shelf.until - state.t);
  const item = make("li", "", shelvedInWords(shelf, until));
  item.dataset.item = `shelf ${shelf.kind} ${shelf.device} ${shelf.seat}`;
  if (may("decide")) item.append(button("End shelving", () => decide({ decision: "unshelve", alarm: shelf.kind, device: shelf.device, seat: shelf.seat })));
  return item;
}

// What is wrong, for who may open the devices' page with a link to the device that it is about.
function named(alarm) {
  const page = alarm.device && document.querySelector('nav a[href="/devices"]');
  if (!page) return alarm.text;
  const link = make("a", "", alarm.text);
  link.href = `/devices#device-${encodeURIComponent(alarm.device)}`;
  return link;
}

// To the first ruling that waits, whose buttons say what they do; of several, how many: a link each would take the words their room.
function toRuling(alarm) {
  const [ruling] = [...alarm.rulings].sort((one, other) => one.id - other.id);
  const words = may("ask") ? "Decide" : "View ruling";
  const link = make("a", "button", alarm.rulings.length > 1 ? `${words} (${alarm.rulings.length})` : words);
  if (ruling.irregularity !== alarm.kind) link.append(make("span", "unseen", `: ${ruling.irregularity_words}`));
  link.href = `/#ruling-${ruling.id}`;
  return link;
}

// `within`: of a line of several.
function tools(line, within, alone) {
  const [first] = line;
  const group = line.length > 1;
  const made = group || !first.rulings.length ? [] : [toRuling(first)];
  const box = make("p", "tools");
  const inBox = () => (made.length ? (box.append(...made), [box]) : []);
  if (!may("decide") || first.bare) return inBox();
  const words = group ? `Acknowledge these ${line.length}` : "Acknowledge";
  if (!first.acknowledged && (within || !alone)) made.push(button(words, () => Promise.all(acknowledgements(line).map(decide))));
  if (first.may_shelve && !within) made.push(button("Shelve…", async () => (await import("./shelving.js")).shelve(first, group, decide)));
  return inBox();
}

let drawn = "";

function draw() {
  if (pressing()) {
    setTimeout(draw, 50); // it moves what stands below
    return;
  }
  const section = at("alarms-section");
  const waits = alarms.filter(unseen);
  section.hidden = alarms.length === 0 && state.shelves.length === 0;
  section.classList.toggle("only-waits", !waits.some((alarm) => alarm.priority === "high"));
  section.classList.toggle("all-seen", waits.length === 0);
  const lines = linesOf(alarms);
  const now = JSON.stringify([alarms, state.shelves, may("decide"), may("ask")]);
  const changed = now !== drawn;
  drawn = now;
  if (changed) redraw(at("alarms"), lines.map((line) => lineItem(line, { named, tools: (some, within) => tools(some, within, lines.length === 1) })));
  if (changed) redraw(at("shelves"), state.shelves.map(shelfItem));
  const times = at("alarms").querySelectorAll(":scope > li > .times");
  if (times.length === lines.length) times.forEach((one, index) => (one.textContent = timesInWords(lines[index], tableTime())));
  const unacknowledged = alarms.filter((alarm) => !alarm.bare && !alarm.acknowledged).length;
  at("acknowledge-all").hidden = !may("decide") || unacknowledged === 0;
  put("acknowledge-all", `Acknowledge all (${unacknowledged})`);
  if (!changed) return; // what follows has the page laid out anew
  document.documentElement.style.scrollPaddingTop = section.hidden ? "" : `${section.offsetHeight + 8}px`;
  const plain = document.title.replace(/^⚠ /, "");
  document.title = waits.length ? `⚠ ${plain}` : plain;
}

// ---- what other pages' scripts call

export function show(now, time) {
  if (!at("alarms-section")) return;
  [state, tableTime] = [now, time];
  alarms = joined();
  draw();
  tell(alarms);
}

export function live() {
  if (!at("alarms-section")) return;
  last = new Date();
  document.body.classList.remove("lost");
  put("live", "live");
}

export function lost() {
  if (!at("alarms-section")) return;
  document.body.classList.add("lost");
  at("live").textContent = last ? `no connection: as it was at ${moment(last.getTime() / 1000)}` : "no connection";
}

async function decide(body) {
  try {
    await ask("POST", "/decisions", body);
  } catch (fault) {
    notice(`Not ${body.decision === "acknowledge" ? "acknowledged" : "done"}: ${fault.message}.`);
  }
}

// All that the button counts: what has come since stays.
function acknowledgeAll() {
  const until = Math.max(0, ...alarms.filter((alarm) => !alarm.bare).map((alarm) => alarm.since));
  return decide({ decision: "acknowledge", ruling: null, seen: { until, cleared: false, devices: [], deck: null } });
}

if (at("alarms-section")) {
  at("acknowledge-all").addEventListener("click", acknowledgeAll);
  beginSound();
  setInterval(() => state && draw(), 1000);
}
