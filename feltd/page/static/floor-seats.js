// The seat screen: everybody's table and seat, by name, in letters for four metres; where they do not all fit it turns.

import { blindsOf, hms, leftNow } from "./floor-words.js";
import { beginScreen, ofTournament } from "./floor-screen.js";
import { at, make } from "./shell.js";

const TURN_EVERY = 12000;

let seats = [];
let first = 0; // of the seats that are in sight
let fit = 0;

function item(one) {
  const made = make("p", one.table === null ? "waits" : "");
  made.append(make("span", "name", one.name), make("span", "table", one.table ?? "–"), make("b", "seat", one.table === null ? "waits for a seat" : one.seat));
  return made;
}

// As many as fit whole: each screen of them is full before the next one comes.
function draw() {
  const box = at("seats");
  box.replaceChildren(...seats.slice(first).map(item));
  const over = [...box.children].findIndex((one) => one.getBoundingClientRect().right > box.getBoundingClientRect().right + 1);
  fit = over < 0 ? box.children.length : Math.max(1, over);
  for (const one of [...box.children].slice(fit)) one.remove();
  const whole = first === 0 && fit >= seats.length;
  at("turn").textContent = whole || !seats.length ? "" : `${first + 1}–${first + fit} of ${seats.length}`;
}

function turn() {
  first = first + fit >= seats.length ? 0 : first + fit;
  draw();
}

function tick(state, after) {
  const clock = state.clock;
  at("level").textContent = clock === null ? "" : clock.in_break ? "Break" : `Level ${clock.level.level}`;
  const left = clock === null ? null : leftNow(clock, after);
  at("left").textContent = left === null ? "" : hms(left);
  at("blinds").textContent = clock === null ? "" : blindsOf(clock.level);
}

const KEPT_BY = { floor: "Seats are drawn by secrets that the floor keeps. It published a commitment to them before the first entry.", director: "Seats are drawn by the director's own secrets. A commitment to them was published before the first entry. A person who has them knows the seats of any list before the list is closed." };

// How the seats came about, for whoever holds the draw against its commitment.
function drawnHow(draw) {
  if (!draw.drawn && !draw.annulled) return "";
  const annulled = draw.annulled ? `Draws that two people have annulled: ${draw.annulled}.` : "";
  return [KEPT_BY[draw.kept_by] || "", annulled].filter(Boolean).join(" ");
}

beginScreen(ofTournament, (state) => {
  seats = state.seats;
  first = first < seats.length ? first : 0;
  at("none").hidden = seats.length > 0;
  at("playing").textContent = `${state.playing} players`;
  at("drawn").textContent = drawnHow(state.draw);
  tick(state, 0);
  draw();
}, tick);
addEventListener("resize", draw);
setInterval(turn, TURN_EVERY);
