// What must not be missed, on every page: alarms, rulings that wait for a person, a line that is cut. To be seen, and to
// be heard where somebody has asked for it.

import { ask } from "./api.js";
import { at, make, may, notice, pressing, redraw, since, time } from "./shell.js";

const AGAIN_AFTER = 10000; // milliseconds until what nobody has acknowledged is heard again
const ESCALATED_AFTER = 60; // seconds after which the table escalates what nobody has acknowledged
const KEPT = "feltd sound";

let state = null;
let tableTime = null;
let last = null;

const unseen = () => state.alarms.filter((alarm) => !alarm.acknowledged);
const waiting = () => state.rulings.filter((ruling) => ruling.waits);

// ---- to be seen

function alarmInWords(alarm) {
  const words = [alarm.over ? "Cleared" : `Active ${since(tableTime() - alarm.since)}`, alarm.acknowledged ? "acknowledged" : "not acknowledged"];
  if (alarm.escalated) words.push(`no response in ${ESCALATED_AFTER} s: escalated`);
  return words.join(", ");
}

function alarmItem(alarm) {
  const item = make("li", alarm.over ? "Cleared" : alarm.escalated ? "escalated" : "");
  item.append(make("b", "", alarm.text), make("span"));
  return item;
}

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
  const alarms = state.alarms.filter((alarm) => !(alarm.over && alarm.acknowledged));
  section.hidden = alarms.length === 0 && waiting().length === 0;
  section.classList.toggle("only-waits", alarms.length === 0);
  section.classList.toggle("all-seen", unseen().length === 0 && waiting().length === 0);
  const now = JSON.stringify([alarms, waiting().map((ruling) => ruling.id)]);
  const changed = now !== drawn;
  drawn = now;
  if (changed) redraw(at("alarms"), [...alarms.map(alarmItem), ...waiting().map(waitingItem)]);
  const times = [...alarms.map(alarmInWords), ...waiting().map(waitingInWords)];
  const spans = at("alarms").querySelectorAll("li > span");
  if (spans.length === times.length) spans.forEach((span, index) => (span.textContent = times[index]));
  at("acknowledge-all").hidden = !may("decide") || unseen().length === 0;
  at("acknowledge-all").textContent = `Acknowledge all (${unseen().length})`;
  if (!changed) return; // what follows has the page laid out anew
  document.documentElement.style.scrollPaddingTop = section.hidden ? "" : `${section.offsetHeight + 8}px`;
  const plain = document.title.replace(/^⚠ /, "");
  document.title = unseen().length || waiting().length ? `⚠ ${plain}` : plain;
}

// ---- to be heard, by the ear or by a reader of the screen

let tones = null;
let again = null;
const told = new Set();

const keys = () => [
  ...unseen().map((alarm) => [`${alarm.kind} ${alarm.device} ${alarm.since} ${alarm.escalated}`, alarm.text]),
  ...waiting().map((ruling) => [`ruling ${ruling.id}`, `${ruling.irregularity_words}: the ${ruling.authority} decides`]),
];

function tell() {
  const fresh = keys().filter(([key]) => !told.has(key));
  for (const [key] of fresh) told.add(key);
  if (fresh.length) at("alarm-said").textContent = fresh.map(([, words]) => words).join("; ");
  if (!keys().length) {
    clearInterval(again);
    again = null;
    return;
  }
  if (fresh.length) beep();
  again ??= setInterval(beep, AGAIN_AFTER);
}

function beep() {
  if (!tones || tones.state !== "running") return;
  for (const [at, frequency] of [[0, 880], [0.22, 660], [0.44, 880]]) {
    const tone = tones.createOscillator();
    const gain = tones.createGain();
    gain.gain.value = 0.2;
    tone.frequency.value = frequency;
    tone.connect(gain).connect(tones.destination);
    tone.start(tones.currentTime + at);
    tone.stop(tones.currentTime + at + 0.18);
  }
}

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
  at("live").textContent = "live";
}

export function lost() {
  if (!at("alarms-section")) return;
  document.body.classList.add("lost");
  at("live").textContent = last ? `no connection: as it was at ${time(last.getTime() / 1000)}` : "no connection";
}

async function acknowledge() {
  try {
    await ask("POST", "/decisions", { decision: "acknowledge", ruling: null });
  } catch (fault) {
    notice(`Not acknowledged: ${fault.message}.`);
  }
}

if (at("alarms-section")) {
  at("acknowledge-all").addEventListener("click", acknowledge);
  at("sound").addEventListener("click", () => {
    setSound(tones === null);
    setTimeout(beep, 100);
  });
  soundAsKept();
  setInterval(() => state && draw(), 1000);
}
