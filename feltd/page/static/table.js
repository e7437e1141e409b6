// The table as it is: drawn from the state that the server sends, again whenever it changes.

import { beginDecisions, drawActs, openSeat, tellOpen } from "./decisions.js";
import { drawTable, outInWords } from "./felt.js";
import { drawHealth, drawRulings, seek } from "./lists.js";
import { follow } from "./live.js";
import { drawReports } from "./reports.js";
import { drawSeatWords, say } from "./seat-words.js";
import { at, begin, button, make, may, redraw, put } from "./shell.js";
import { drawSignatures } from "./signing.js";
import { beginTogether, drawTogether } from "./together.js";

const SEATS = 10;
let state = JSON.parse(at("state").textContent);
let tableTime = () => state.t;

function drawClock() {
  const clock = state.table.clock;
  at("clock").hidden = !clock;
  if (clock) at("clock").textContent = `Seat ${clock.seat}: ${Math.max(0, clock.until - tableTime()).toFixed(0)} s left`;
}

const seatInWords = (seat) => (!seat ? "empty" : (outInWords(seat) ?? `${seat.cards} ${seat.cards === 1 ? "card" : "cards"}`));
let seatsDrawn = "";

function drawSeats() {
  const taken = new Map((state.table.seats || []).map((seat) => [seat.seat, seat]));
  const now = JSON.stringify([...taken].map(([number, seat]) => [number, seatInWords(seat)]));
  if (now === seatsDrawn) return;
  seatsDrawn = now;
  const made = [];
  for (let number = 1; number <= SEATS; number += 1) {
    const seat = taken.get(number);
    const words = seatInWords(seat);
    const item = make("li", seat ? "" : "empty");
    const one = button(`${number}`, () => openSeat(number, (state.table.seats || []).find((one) => one.seat === number), state));
    one.setAttribute("aria-label", `Seat ${number}, ${words}`);
    item.append(one);
    made.push(item);
  }
  redraw(at("seats"), made);
}

// ---- all of it

function draw() {
  put("rulebook", state.rulebook ? state.rulebook.title : "no game");
  put("round", state.table.round ? `· round ${state.table.round}` : "");
  at("stopped").hidden = !state.stopped;
  put("stopped", state.stopped ? `Play stops: ${state.stopped}` : "");
  put("phase", state.phase);
  at("phase").className = ["halted", "misdeal", "void"].includes(state.table.phase) ? "phase bad" : "phase";
  put("prompt", state.prompt);
  at("built").hidden = !state.built;
  put("built", state.built || "");
  at("faces").hidden = !state.faces;
  put("faces", state.faces || "");
  say(state.prompt);
  drawSeatWords(state);
  drawTable(at("table"), state.table, state.amounts);
  if (may("seat")) drawSeats();
  drawRulings(state);
  drawActs(state);
  drawReports(state);
  drawHealth(state);
  drawSignatures(state.signatures);
  drawTogether(state.steps);
  tellOpen(state);
  drawClock();
}

draw();
setInterval(drawClock, 1000);
if (await begin()) {
  beginDecisions();
  beginTogether();
  draw();
  seek(state);
  addEventListener("hashchange", () => seek(state));
  tableTime = follow(
    state,
    (now) => {
      state = now;
      draw();
    },
    () => null
  );
}
