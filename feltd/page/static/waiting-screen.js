// The waiting lists for players, that nobody touches: who is called to which seat, and who waits in which order.

import { beginScreen } from "./floor-screen.js";
import { hms } from "./floor-words.js";
import { at, make, renew } from "./shell.js";

let state = null;

function called(one, now) {
  const left = one.until - now;
  const item = make("li", left > 0 ? "" : "over");
  item.append(make("span", "name", one.name), make("span", "", `${one.table}, seat ${one.seat}`), make("span", "time", left > 0 ? hms(left) : "time is over"));
  return item;
}

function list(game) {
  const box = make("section");
  const lines = make("ol");
  lines.append(...game.waits.map((name, place) => make("li", "", `${place + 1}. ${name}`)));
  box.append(make("h2", "", `${game.name} (${game.waits.length})`));
  if (game.free) box.append(make("p", "free", game.free === 1 ? "1 seat is free" : `${game.free} seats are free`));
  box.append(lines);
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

const drawCalled = (told, after) => renew(at("called"), told.called.map((one) => called(one, told.t + after)));

function draw() {
  at("games").replaceChildren(...state.games.map(list));
  for (const box of at("games").children) fit(box);
  at("none").hidden = state.called.length > 0 || state.games.some((game) => game.waits.length);
}

// The seats that are free change by what tables say, without a step of the lists.
const mark = (told) => JSON.stringify([told.seq, told.games]);

beginScreen(() => `/waiting/${document.body.dataset.of}/screen`, (told) => {
  state = told;
  drawCalled(told, 0);
  draw();
}, drawCalled, mark);
addEventListener("resize", () => state && draw());
