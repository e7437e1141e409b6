// The waiting lists for players, that nobody touches: who is called to which seat, and who waits in which order.

import { ask } from "./api.js";
import { hms } from "./floor-words.js";
import { at, make, moment, renew } from "./shell.js";
import { beginUntouched } from "./untouched.js";

const EVERY = 3000;
const id = document.body.dataset.room;

let state = null;
let heard = performance.now();
let last = null;

const now = () => state.t + (performance.now() - heard) / 1000;

function called(one) {
  const left = one.until - now();
  const item = make("li", left > 0 ? "" : "over");
  item.append(make("span", "name", one.name), make("span", "", `${one.table}, seat ${one.seat}`), make("span", "time", left > 0 ? hms(left) : "time is over"));
  return item;
}

function list(game) {
  const box = make("section");
  const lines = make("ol");
  lines.append(...game.waits.map((name, place) => make("li", "", `${place + 1}. ${name}`)));
  box.append(make("h2", "", `${game.name} (${game.waits.length})`), lines);
  return box;
}

// What does not fit is counted: a name that is cut off at the edge would be no name.
function fit(box) {
  const lines = [...box.querySelectorAll("li")];
  const edge = () => box.getBoundingClientRect().bottom;
  let hidden = 0;
  const more = make("p", "more");
  while (lines.length > 1 && (more.isConnected ? more : lines.at(-1)).getBoundingClientRect().bottom > edge()) {
    lines.pop().remove();
    hidden += 1;
    more.textContent = `and ${hidden} more`;
    box.append(more);
  }
}

const drawCalled = () => renew(at("called"), state.called.map(called));

function draw() {
  at("games").replaceChildren(...state.games.map(list));
  for (const box of at("games").children) fit(box);
  at("none").hidden = state.called.length > 0 || state.games.some((game) => game.waits.length);
}

async function look() {
  try {
    const told = await ask("GET", `/waiting/${id}/screen`, undefined, true);
    const anew = state === null || told.seq !== state.seq;
    [state, heard, last] = [told, performance.now(), new Date()];
    document.body.classList.remove("lost");
    at("live").textContent = state.title;
    at("sign-in").hidden = true;
    drawCalled();
    if (anew) draw();
  } catch (fault) {
    document.body.classList.add("lost");
    const when = last ? `as it was at ${moment(last.getTime() / 1000)}` : "";
    at("live").textContent = [fault.status === 0 ? "no connection" : fault.message, when].filter(Boolean).join(", ");
    at("sign-in").hidden = fault.status !== 401;
  }
  setTimeout(look, EVERY);
}

beginUntouched();
await look();
addEventListener("resize", () => state && draw());
setInterval(() => state && drawCalled(), 500);
