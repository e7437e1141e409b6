// What must not be missed, on every page: alarms, rulings that wait for a person, a line that is cut. To be seen, and to
// be heard where somebody has asked for it.

import { ask } from "./api.js";
import { at, button, make, may, moment, notice, pressing, put, redraw, since } from "./shell.js";

const AGAIN_AFTER = 10000; // milliseconds until what nobody has acknowledged is heard again
const SAID_AFTER = 1000; // milliseconds in which what comes is said together
const ESCALATED_AFTER = 60; // seconds after which the table escalates what nobody has acknowledged
const KEPT = "feltd sound";
const ORDER = ["high", "medium", "low"];
const PATTERNS = { high: [[0, 880], [0.22, 660], [0.44, 880]], medium: [[0, 660], [0.3, 660]], low: [[0, 520]] }; // seconds, hertz

let state = null;
let tableTime = null;
let last = null;

const unseen = () => state.alarms.filter((alarm) => !alarm.acknowledged && !alarm.shelved);
const waiting = () => state.rulings.filter((ruling) => ruling.waits);

// ---- to be seen

function timesInWords(alarm) {
  const words = [alarm.over ? "Cleared" : `Active ${since(tableTime() - alarm.since)}`, alarm.acknowledged ? "acknowledged" : "not acknowledged"];
  if (alarm.escalated) words.push(`no response in ${ESCALATED_AFTER} s: escalated`);
  return words.join(", ");
}

// Alarms with one likely cause are one line, by the first of them: what came first is nearest to the cause.
function linesOf(alarms) {
  const lines = new Map();
  for (const alarm of [...alarms].sort((one, other) => one.since - other.since)) {
    const state = `${alarm.over} ${alarm.acknowledged}`;
    const key = alarm.many ? `${alarm.kind} ${state}` : `${alarm.kind} ${alarm.device} ${alarm.deck} ${alarm.seat} ${alarm.since}`;
    if (lines.has(key)) lines.get(key).alarms.push(alarm);
    else lines.set(key, { key, alarms: [alarm] });
  }
  const urgency = ({ alarms: [first] }) => ORDER.indexOf(first.priority) + (first.over ? 0.5 : 0) + (first.acknowledged ? ORDER.length : 0);
  return [...lines.values()].sort((one, other) => urgency(one) - urgency(other));
}

function acknowledgeButton(words, alarm, device) {
  const made = make("button", "", words);
  made.type = "button";
  made.dataset.kind = alarm.kind;
  if (device) made.dataset.device = device;
  return made;
}

// Until when, by whom: what is not told for a time. It says so, and who may decide can end it.
function shelfItem(shelf) {
  const until = state.wall + (shelf.until - state.t);
  const item = make("li", "", `Shelved until ${moment(until)} by ${shelf.by}: ${shelf.text}`);
  item.dataset.item = `shelf ${shelf.kind} ${shelf.device} ${shelf.seat}`;
  if (may("decide")) item.append(button("End shelving", () => decide({ decision: "unshelve", alarm: shelf.kind, device: shelf.device, seat: shelf.seat })));
  return item;
}

// To whoever cannot see its shape and its colour.
const PRIORITIES = { high: "High: ", medium: "Medium: ", low: "Low: " };

// What is wrong, for who may open the devices' page with a link to the device that it is about.
function named(place, alarm) {
  const page = alarm.device && document.querySelector('nav a[href="/devices"]');
  if (!page) return place.append(alarm.text);
  const link = make("a", "", alarm.text);
  link.href = `/devices#device-${encodeURIComponent(alarm.device)}`;
  place.append(link);
}

const toShelve = (alarm, group) => button("Shelve…", async () => (await import("./shelving.js")).shelve(alarm, group, decide));

const opened = new Set(); // groups that show each of their alarms

const inWords = (alarms) => (alarms.length > 1 ? alarms[0].many.replace("{}", alarms.length) : alarms[0].text);

function lineItem({ key, alarms }, several) {
  const [first] = alarms;
  const group = alarms.length > 1;
  const item = make("li", `${first.priority}${first.over ? " over" : alarms.some((one) => one.escalated) ? " escalated" : ""}`);
  item.dataset.item = key;
  const words = make("b");
  words.append(make("span", "unseen", PRIORITIES[first.priority]));
  if (group) words.append(inWords(alarms));
  else named(words, first);
  item.append(words, make("span"));
  if (!group && !first.acknowledged) item.append(make("small", "", first.over ? "Its cause is over: acknowledge it." : first.action));
  if (several && may("decide") && !first.acknowledged) item.append(acknowledgeButton(group ? `Acknowledge these ${alarms.length}` : "Acknowledge", first, group ? null : first.device));
  if (first.may_shelve && may("decide")) item.append(toShelve(first, group));
  if (!group) return item;
  const each = make("details");
  each.open = opened.has(key);
  const list = make("ol");
  for (const alarm of alarms) {
    const one = make("li");
    named(one, alarm);
    if (alarm.device && may("decide") && !alarm.acknowledged) one.append(acknowledgeButton("Acknowledge", alarm, alarm.device));
    list.append(one);
  }
  each.append(make("summary", "", "Each, the first on top"), list);
  item.append(each);
  return item;
}

const lineInWords = ({ alarms }) => (alarms.length > 1 ? `First: ${alarms[0].text}. ` : "") + timesInWords({ ...alarms[0], escalated: alarms.some((one) => one.escalated) });

const waitingInWords = (ruling) => `waits for the ${ruling.authority} for ${since(state.wall + tableTime() - state.t - ruling.wall)}`;

function waitingItem(ruling) {
  const item = make("li", "decide");
  item.dataset.item = `ruling ${ruling.id}`;
  const link = make("a", "", `${ruling.irregularity_words}${ruling.seat ? `, seat ${ruling.seat}` : ""}`);
  link.href = `/#ruling-${ruling.id}`;
  const words = make("b");
  words.append(link);
  item.append(words, make("span"));
  return item;
}

let drawn = "";

function draw() {
  if (pressing()) {
    setTimeout(draw, 50); // it moves what stands below
    return;
  }
  const section = at("alarms-section");
  const alarms = state.alarms.filter((alarm) => !(alarm.over && alarm.acknowledged) && !alarm.shelved);
  section.hidden = alarms.length === 0 && waiting().length === 0 && state.shelves.length === 0;
  section.classList.toggle("only-waits", !unseen().some((alarm) => alarm.priority === "high"));
  section.classList.toggle("all-seen", unseen().length === 0 && waiting().length === 0);
  const lines = linesOf(alarms);
  const now = JSON.stringify([alarms, state.shelves, may("decide"), waiting().map((ruling) => ruling.id)]);
  const changed = now !== drawn;
  drawn = now;
  if (changed) redraw(at("alarms"), [...lines.map((line) => lineItem(line, lines.length > 1)), ...waiting().map(waitingItem)]);
  if (changed) redraw(at("shelves"), state.shelves.map(shelfItem));
  const times = [...lines.map(lineInWords), ...waiting().map(waitingInWords)];
  const spans = at("alarms").querySelectorAll(":scope > li > span");
  if (spans.length === times.length) spans.forEach((span, index) => (span.textContent = times[index]));
  at("acknowledge-all").hidden = !may("decide") || unseen().length === 0;
  put("acknowledge-all", `Acknowledge all (${unseen().length})`);
  at("silence").hidden = tones === null || silenced || keys().length === 0;
  if (!changed) return; // what follows has the page laid out anew
  document.documentElement.style.scrollPaddingTop = section.hidden ? "" : `${section.offsetHeight + 8}px`;
  const plain = document.title.replace(/^⚠ /, "");
  document.title = unseen().length || waiting().length ? `⚠ ${plain}` : plain;
}

// ---- to be heard, by the ear or by a reader of the screen

let tones = null;
let again = null;
let silenced = false; // until something new comes
const told = new Set();

const keyOf = (alarm) => `${alarm.kind} ${alarm.device} ${alarm.since} ${alarm.escalated}`;
const rulingKey = (ruling) => `ruling ${ruling.id}`;
const keys = () => [...unseen().map(keyOf), ...waiting().map(rulingKey)];

// What is told by a line: the keys of what is in it, and its words.
const toTell = () => [
  ...linesOf(unseen()).map(({ alarms }) => [alarms.map(keyOf), PRIORITIES[alarms[0].priority] + inWords(alarms)]),
  ...waiting().map((ruling) => [[rulingKey(ruling)], `${ruling.irregularity_words}: the ${ruling.authority} decides`]),
];

// To readers of the screen: what came within a second, by its lines. One by one, each would cut off the one before.
const unsaid = new Set();
let saying = null;

function say() {
  saying = null;
  at("alarm-said").textContent = toTell().filter(([keys]) => keys.some((key) => unsaid.has(key))).map(([, words]) => words).join("; ");
  unsaid.clear();
}

function tell() {
  const now = keys();
  const fresh = now.filter((key) => !told.has(key));
  for (const key of fresh) told.add(key), unsaid.add(key);
  if (fresh.length) saying ??= setTimeout(say, SAID_AFTER);
  if (!now.length) {
    clearInterval(again);
    again = null;
    return;
  }
  if (fresh.length) {
    silenced = false;
    beep();
  }
  again ??= setInterval(beep, AGAIN_AFTER);
}

function beep() {
  if (!state || !tones || tones.state !== "running" || silenced) return; // the sound may be put on before the first state comes
  for (const [at, frequency] of PATTERNS[ORDER.find((priority) => unseen().some((alarm) => alarm.priority === priority)) || "medium"]) {
    const tone = tones.createOscillator();
    const gain = tones.createGain();
    gain.gain.value = 0.2;
    tone.frequency.value = frequency;
    tone.connect(gain).connect(tones.destination);
    tone.start(tones.currentTime + at);
    tone.stop(tones.currentTime + at + 0.18);
  }
}

// Whether somebody would hear this page.
export const sounds = () => tones !== null && tones.state === "running";

// A browser lets a page sound only after somebody has touched it: until then the button says so.
function showSound() {
  const silent = tones !== null && tones.state !== "running";
  at("sound").setAttribute("aria-pressed", String(tones !== null));
  at("sound").textContent = silent ? "Sound: touch the page once" : "Sound";
}

function setSound(on) {
  if (tones) tones.close();
  tones = on ? new AudioContext() : null;
  if (tones) tones.onstatechange = showSound;
  try {
    if (on) localStorage.setItem(KEPT, "on");
    else localStorage.removeItem(KEPT);
  } catch {} // a browser that keeps nothing
  showSound();
}

function soundAsKept() {
  try {
    if (localStorage.getItem(KEPT)) setSound(true);
  } catch {} // as above
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => tones && tones.resume());
}

// ---- what other pages' scripts call

export function show(now, time) {
  if (!at("alarms-section")) return;
  [state, tableTime] = [now, time];
  draw();
  tell();
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

// All of them; or those of a kind, of one device where it is named.
const acknowledge = ({ kind = null, device = null }) => decide({ decision: "acknowledge", ruling: null, alarm: kind, device });

if (at("alarms-section")) {
  at("acknowledge-all").addEventListener("click", () => acknowledge({}));
  // At the list and not at its buttons: these are made anew while somebody looks for them.
  at("alarms").addEventListener("click", (event) => {
    const pressed = event.target.closest("button[data-kind]");
    if (pressed) acknowledge(pressed.dataset);
  });
  at("alarms").addEventListener("toggle", ({ target }) => opened[target.open ? "add" : "delete"](target.closest("[data-item]").dataset.item), true);
  at("silence").addEventListener("click", () => {
    silenced = true;
    draw();
  });
  at("sound").addEventListener("click", () => {
    setSound(tones === null);
    setTimeout(beep, 100);
  });
  soundAsKept();
  setInterval(() => state && draw(), 1000);
}
