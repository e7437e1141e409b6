// The clock for the wall: nothing to touch, figures to be read from afar; it finds its way back by itself.

import { whoAmI } from "./api.js";
import { follow } from "./live.js";
import { at, make } from "./shell.js";
import { ante, blinds, hms, notes, timeAt } from "./tournament-words.js";

const QUIET_AFTER = 4000; // the button goes when nobody moves

let state = JSON.parse(at("state").textContent);
let tableTime = () => state.t;
let last = new Date();
let drawings = 0;

function drawTime() {
  const now = state.table.tournament;
  at("none").hidden = now !== null;
  at("wall").hidden = now === null;
  if (!now) return;
  const time = timeAt(now, tableTime());
  const number = now.next_deal && now.next_deal.level ? `Level ${now.next_deal.level}` : "";
  at("level").textContent = time.inBreak ? "Break" : number;
  const figures = time.inBreak && time.breakLeft === null ? "–" : hms(time.inBreak ? time.breakLeft : time.left === null ? time.elapsed : time.left);
  at("left").textContent = figures;
  document.body.classList.toggle("hours", figures.length > 5);
  document.body.classList.toggle("stands", !now.running);
  at("stands").hidden = now.running;
  at("notes").replaceChildren(...notes(now, time, state.amounts).map((words) => make("li", "", words)));
}

function draw() {
  const now = state.table.tournament;
  drawings += 1;
  at("live").textContent = state.name;
  document.body.classList.remove("lost");
  drawTime();
  if (!now) return;
  const due = now.next_deal || now.level;
  at("blinds").textContent = blinds(due, state.amounts);
  at("ante").textContent = ante(due, now, state.amounts);
  at("next").textContent = now.next ? `Next: ${blinds(now.next, state.amounts)}, ${ante({ ...now.next }, { ...now, big_blind_ante: false }, state.amounts)}` : "The last level";
  at("here").textContent = `${(state.table.seats || []).filter((seat) => seat.state !== "leaving").length} players at this table`;
}

async function lost() {
  document.body.classList.add("lost");
  const before = drawings;
  const when = `as it was at ${last.toLocaleTimeString([], { hour12: false })}`;
  const me = await whoAmI(true).catch(() => undefined); // undefined: not to be reached
  if (drawings !== before) return; // the table is back already: this would cover its name until its next state
  at("live").textContent = me === null ? `signed out, ${when}` : `no connection, ${when}`;
  at("sign-in").hidden = me !== null;
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => null);
}

// ---- the button and the pointer go when nobody moves

let quiet = null;

function moved() {
  document.body.classList.remove("untouched");
  clearTimeout(quiet);
  quiet = setTimeout(() => document.body.classList.add("untouched"), QUIET_AFTER);
}

// The screen stays on, where the browser can see to that.
async function stayAwake() {
  if (document.visibilityState === "visible" && navigator.wakeLock) await navigator.wakeLock.request("screen").catch(() => null);
}

draw();
at("full-screen").addEventListener("click", fullScreen);
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "f" && !event.ctrlKey && !event.metaKey && !event.altKey) fullScreen();
});
for (const name of ["pointermove", "pointerdown", "keydown"]) document.addEventListener(name, moved);
document.addEventListener("visibilitychange", stayAwake);
moved();
stayAwake();
setInterval(drawTime, 250);
tableTime = follow(
  state,
  (now) => {
    state = now;
    last = new Date();
    draw();
  },
  lost
);
