// To be heard, by the ear where somebody has asked for it, or by a reader of the screen: what nobody has acknowledged.

import { inWords, linesOf, ORDER, PRIORITIES, unseen } from "./alarm-lines.js";
import { at } from "./shell.js";

const AGAIN_AFTER = 10000; // milliseconds until what nobody has acknowledged is heard again
const SAID_AFTER = 1000; // milliseconds in which what comes is said together
const KEPT = "feltd sound";
const PATTERNS = { high: [[0, 880], [0.22, 660], [0.44, 880]], medium: [[0, 660], [0.3, 660]], low: [[0, 520]] }; // seconds, hertz

let waits = []; // what nobody has acknowledged or decided on
let tones = null;
let again = null;
let silenced = false; // until something new comes
const told = new Set(); // what still waits, of what was told

// What comes a second time is told a second time: it is of another time, or custody was told of it once more.
const keyOf = (alarm) => [alarm.table, alarm.key, alarm.since, alarm.custody?.times, alarm.escalated, alarm.rulings.map((ruling) => ruling.id)].join(" ");

// To readers of the screen: what came within a second, by its lines. One by one, each would cut off the one before.
const unsaid = new Set();
let saying = null;

function inOneLine({ alarms }) {
  const [first] = alarms;
  const due = alarms.length === 1 && first.rulings.length ? `, ${first.rulings[0].waits}` : "";
  return `${PRIORITIES[first.priority]}${alarms.length === 1 && first.table ? `${first.table}: ` : ""}${inWords(alarms)}${due}`;
}

function say() {
  saying = null;
  at("alarm-said").textContent = linesOf(waits).filter(({ alarms }) => alarms.some((alarm) => unsaid.has(keyOf(alarm)))).map(inOneLine).join("; ");
  unsaid.clear();
}

// These alarms are there now.
export function tell(alarms) {
  waits = alarms.filter(unseen);
  const keys = new Set(waits.map(keyOf));
  for (const key of told) if (!keys.has(key)) told.delete(key);
  const fresh = [...keys].filter((key) => !told.has(key));
  for (const key of fresh) told.add(key), unsaid.add(key);
  if (fresh.length) saying ??= setTimeout(say, SAID_AFTER);
  if (!waits.length) {
    clearInterval(again);
    again = null;
  } else {
    if (fresh.length) {
      silenced = false;
      beep();
    }
    again ??= setInterval(beep, AGAIN_AFTER);
  }
  showSilence();
}

function beep() {
  if (!waits.length || !tones || tones.state !== "running" || silenced) return; // the sound may be put on before the first state comes
  for (const [begins, frequency] of PATTERNS[ORDER.find((priority) => waits.some((alarm) => alarm.priority === priority))]) {
    const tone = tones.createOscillator();
    const gain = tones.createGain();
    gain.gain.value = 0.2;
    tone.frequency.value = frequency;
    tone.connect(gain).connect(tones.destination);
    tone.start(tones.currentTime + begins);
    tone.stop(tones.currentTime + begins + 0.18);
  }
}

// Whether somebody would hear this page.
export const sounds = () => tones !== null && tones.state === "running";

const showSilence = () => (at("silence").hidden = tones === null || silenced || waits.length === 0);

// A browser lets a page sound only after somebody has touched it: until then the button says so.
function showSound() {
  const silent = tones !== null && tones.state !== "running";
  at("sound").setAttribute("aria-pressed", String(tones !== null));
  at("sound").textContent = silent ? "Sound: touch the page once" : "Sound";
  showSilence();
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

export function beginSound() {
  at("silence").addEventListener("click", () => {
    silenced = true;
    showSilence();
  });
  at("sound").addEventListener("click", () => {
    setSound(tones === null);
    setTimeout(beep, 100);
  });
  try {
    if (localStorage.getItem(KEPT)) setSound(true);
  } catch {} // as above
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => tones && tones.resume());
}
