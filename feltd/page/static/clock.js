// The clock for the wall: figures to be read from afar.

import { beginScreen } from "./screen.js";
import { at, make } from "./shell.js";
import { ante, blinds, hms, notes, timeAt } from "./tournament-words.js";

let state = JSON.parse(at("state").textContent);
let tableTime = () => state.t;

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
  drawTime();
  if (!now) return;
  const due = now.next_deal || now.level;
  at("blinds").textContent = blinds(due, state.amounts);
  at("ante").textContent = ante(due, now, state.amounts);
  at("next").textContent = now.next ? `Next: ${blinds(now.next, state.amounts)}, ${ante({ ...now.next }, { ...now, big_blind_ante: false }, state.amounts)}` : "The last level";
  at("here").textContent = `${(state.table.seats || []).filter((seat) => seat.state !== "leaving").length} players at this table`;
}

draw();
setInterval(drawTime, 250);
tableTime = beginScreen(
  state,
  (now) => {
    state = now;
    draw();
  },
  () => null
);
