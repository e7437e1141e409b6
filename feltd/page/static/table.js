// The table as it is: drawn from the state that the server sends, again whenever it changes.

import { beginDecisions, openSeat } from "./decisions.js";
import { drawTable } from "./felt.js";
import { drawAlarms, drawHealth, drawRulings } from "./lists.js";
import { at, begin, button, make, may, redraw, watchSession } from "./shell.js";
import { drawSignatures } from "./signing.js";

const SEATS = 10;
let state = JSON.parse(at("state").textContent);
let heard = performance.now();

const tableTime = () => state.t + (performance.now() - heard) / 1000;

function drawClock() {
  const clock = state.table.clock;
  at("clock").hidden = !clock;
  if (clock) at("clock").textContent = `Seat ${clock.seat}: ${Math.max(0, clock.until - tableTime()).toFixed(0)} s left`;
}

function drawSeats() {
  const taken = new Map((state.table.seats || []).map((seat) => [seat.seat, seat]));
  const made = [];
  for (let number = 1; number <= SEATS; number += 1) {
    const seat = taken.get(number);
    const words = seat ? (seat.folded ? "folded" : seat.state === "in" ? `${seat.cards} cards` : seat.state) : "empty";
    const item = make("li", seat ? "" : "empty");
    const one = button(`${number}`, () => openSeat(number, seat));
    one.setAttribute("aria-label", `Seat ${number}, ${words}`);
    item.append(one);
    made.push(item);
  }
  redraw(at("seats"), made);
}

// ---- sound: a person turns it on, a new alarm is heard once

let tones = null;
const sounded = new Set();

function beep() {
  if (!tones) return;
  const tone = tones.createOscillator();
  const gain = tones.createGain();
  gain.gain.value = 0.2;
  tone.frequency.value = 880;
  tone.connect(gain).connect(tones.destination);
  tone.start();
  tone.stop(tones.currentTime + 0.4);
}

function soundAlarms() {
  for (const alarm of state.alarms) {
    const key = `${alarm.kind} ${alarm.since} ${alarm.escalated}`;
    if (!alarm.over && !alarm.acknowledged && !sounded.has(key)) beep();
    sounded.add(key);
  }
}

function toggleSound() {
  if (tones) tones.close();
  tones = tones ? null : new AudioContext();
  at("sound").setAttribute("aria-pressed", String(tones !== null));
  if (tones) beep();
}

// ---- all of it

function draw() {
  at("rulebook").textContent = state.rulebook ? state.rulebook.title : "no game";
  at("round").textContent = state.table.round ? `· round ${state.table.round}` : "";
  at("stopped").hidden = !state.stopped;
  at("stopped").textContent = state.stopped ? `Play stops: ${state.stopped}` : "";
  at("phase").textContent = state.phase;
  at("phase").className = ["halted", "misdeal", "void"].includes(state.table.phase) ? "phase bad" : "phase";
  at("prompt").textContent = state.prompt;
  document.title = `${state.alarms.some((alarm) => !alarm.acknowledged && !alarm.over) ? "⚠ " : ""}${state.name} · feltd`;
  drawTable(at("table"), state.table);
  if (may("seat")) drawSeats();
  drawRulings(state);
  drawAlarms(state, tableTime());
  drawHealth(state);
  drawSignatures(state.signatures);
  drawClock();
}

let last = new Date();

function lost() {
  document.body.classList.add("lost");
  at("live").textContent = `no connection: as it was at ${last.toLocaleTimeString([], { hour12: false })}`;
}

function listen() {
  const source = new EventSource("/api/v1/stream");
  source.addEventListener("state", (event) => {
    last = new Date();
    heard = performance.now();
    document.body.classList.remove("lost");
    at("live").textContent = "live";
    state = JSON.parse(event.data);
    draw();
    soundAlarms();
  });
  source.addEventListener("error", () => {
    lost();
    if (source.readyState !== EventSource.CLOSED) return;
    watchSession(); // its end ends the stream, too
    setTimeout(listen, 2000);
  });
}

draw();
at("sound").addEventListener("click", toggleSound);
setInterval(() => {
  drawClock();
  drawAlarms(state, tableTime());
}, 1000);
if (await begin()) {
  beginDecisions();
  draw();
  listen();
}
