// The felt in words: a row a seat and the rest of the table, for those who hear the page or have a small screen.

import { dueSeats, outInWords } from "./felt.js";
import { amount, at, make, put, renew } from "./shell.js";

const RANKS = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };
const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

const cardInWords = (name) => (SUITS[name[1]] ? `${RANKS[name[0]] || name[0]} of ${SUITS[name[1]]}` : "joker");

function cards(seat) {
  const shown = (seat.tabled || []).map(cardInWords);
  const down = seat.cards - shown.length;
  return [...(down > 0 ? [`${down} face down`] : []), ...shown].join(", ") || "none";
}

function bets(seat, table, counted) {
  const said = [];
  const posted = (table.posts || {})[seat.seat];
  if (posted !== undefined) said.push(posted === null ? "blind" : `blind ${amount(posted, counted)}`);
  for (const [box, put] of Object.entries(seat.wagers || {})) if (put) said.push(`${box} ${amount(put, counted)}`);
  return said.join(", ") || "–";
}

// A penalty counts hands, or rounds of the button, as the rulebook does.
function penalty(left, { tournament }) {
  const rounds = tournament && tournament.takes.penalties === "button_rounds";
  return rounds ? `penalty: ${left} rounds left` : `penalty: ${left} hands left`;
}

function row(seat, table, due, counted) {
  const marks = [table.button === seat.seat ? "button" : "", due.has(seat.seat) ? "due" : "", table.clock && table.clock.seat === seat.seat ? "clock" : "", seat.penalty ? penalty(seat.penalty, table) : ""];
  const made = make("tr");
  const head = make("th", "", seat.seat);
  head.scope = "row";
  made.append(head);
  for (const words of [outInWords(seat) ?? "at the table", cards(seat), bets(seat, table, counted), marks.filter(Boolean).join(", ") || "–"]) made.append(make("td", "", words));
  return made;
}

function restInWords(table) {
  const board = (table.board || []).filter(Boolean).map((name) => (name === "back" ? "a card face down" : cardInWords(name)));
  const dealer = table.dealer ? ` Dealer: ${cards(table.dealer)}.` : "";
  return `Board: ${board.join(", ") || "no card"}.${dealer} Burn pile: ${table.burn}. Discards: ${table.muck}. Gate of the shoe: ${table.gate}.`;
}

let drawn = "";

export function drawSeatWords({ table, amounts }) {
  const now = JSON.stringify([table.seats, table.board, table.posts, table.button, table.to_act, table.prompt, table.clock, table.burn, table.muck, table.gate, table.dealer]);
  if (now === drawn) return;
  drawn = now;
  const due = dueSeats(table);
  renew(at("seat-words"), (table.seats || []).map((seat) => row(seat, table, due, amounts)));
  put("felt-words", restInWords(table));
}

// ---- the dealer's next step, to be heard: the latest, not each on the way

const SAID_AFTER = 2000; // milliseconds in which a deal goes on to its next card
let due = null;
let latest = "";

export function say(prompt) {
  if (prompt === latest) return;
  latest = prompt;
  due ??= setTimeout(() => {
    due = null;
    at("said").textContent = latest;
  }, SAID_AFTER);
}
