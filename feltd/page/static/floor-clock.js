// The tournament's clock for the wall: time, blinds, who is left, what is played for.

import { anteOf, blindsOf, chips, hms, leftNow, money } from "./floor-words.js";
import { beginScreen, ofTournament } from "./floor-screen.js";
import { at, make } from "./shell.js";

function tick(state, after) {
  const clock = state.clock;
  at("none").hidden = clock !== null;
  at("wall").hidden = clock === null;
  if (clock === null) return;
  const left = leftNow(clock, after);
  const figures = left === null ? "–" : hms(left);
  at("level").textContent = clock.in_break ? "Break" : `Level ${clock.level.level}`;
  at("left").textContent = figures;
  document.body.classList.toggle("hours", figures.length > 5);
  document.body.classList.toggle("stands", !clock.running);
  at("stands").hidden = clock.running;
  at("blinds").textContent = blindsOf(clock.level);
  at("ante").textContent = anteOf(clock.level);
  at("next").textContent = clock.next ? `Next: ${blindsOf(clock.next)}, ${anteOf(clock.next)}` : "The last level";
}

function draw(state) {
  tick(state, 0);
  const prizes = state.amounts.slice(0, 5).map((cents, place) => `${place + 1}: ${money(cents)}`);
  const notes = [state.hand_for_hand ? "Hand for hand" : "", prizes.join("   ")].filter(Boolean);
  at("notes").replaceChildren(...notes.map((words) => make("li", "", words)));
  const average = state.average === null ? "" : `average stack ${chips(state.average)}`;
  at("here").textContent = [`${state.playing} of ${state.entries} players`, `${state.tables} tables`, average].filter(Boolean).join(" · ");
}

beginScreen(ofTournament, draw, tick);
