// What anybody at the table sees, over a picture: the board, the seats, who is to act. No card that lies face down.

import { follow } from "./live.js";
import { at, make, put, renew } from "./shell.js";

const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };

function card(name, element, held) {
  const suit = SUITS[name[1]];
  const red = name[1] === "h" || name[1] === "d" ? "red" : "";
  return make(element, `${held} ${red}`.trim(), suit ? `${name[0] === "T" ? "10" : name[0]}${suit}` : "Joker");
}

const shown = (names) => (names || []).filter((name) => name !== null && name !== "back");

function seat(one, table) {
  const item = make("li", `${one.seat === table.to_act ? "due" : ""} ${one.folded ? "folded" : ""}`.trim());
  item.append(make("span", "", `Seat ${one.seat}`));
  for (const name of shown(one.tabled)) item.append(card(name, "span", "held"));
  if (one.folded) item.append(make("span", "", "has folded"));
  return item;
}

function draw(state) {
  const { table } = state;
  at("overlay").hidden = false;
  at("cut").hidden = true;
  put("phase", state.phase);
  renew(at("board"), shown(table.board).map((name) => card(name, "li", "")));
  at("board2").hidden = shown(table.board2).length === 0;
  renew(at("board2"), shown(table.board2).map((name) => card(name, "li", "")));
  const there = (table.seats || []).filter((one) => one.state === "in");
  renew(at("seats"), there.map((one) => seat(one, table)));
}

// What is old is not shown as if it went on.
function lost() {
  at("overlay").hidden = true;
  at("cut").hidden = false;
}

const first = JSON.parse(at("state").textContent);
draw(first);
follow(first, draw, lost);
