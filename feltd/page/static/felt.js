// Draws a table as the server describes it: seats, cards as backs or faces, board, burn, discards, button.

import { amount, renew } from "./shell.js";

const SVG = "http://www.w3.org/2000/svg";
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const SEATS = 10;
const CARD = { width: 46, height: 64 };
const SIDE_BY_SIDE = 4; // more cards than these lie in two rows, smaller, so that neighbours do not overlap
const SMALLER = 0.64;
const BOARD_STREETS = new Set(["pre_flop", "flop", "turn", "river"]);

function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// ---- the table

// The rail: two straights and two half circles. The dealer sits in the middle of the upper straight; seat 1 is at the
// dealer's left and the numbers run clockwise. `inward`: how far from the rail.
const RAIL = { x: 500, y: 305, straight: 205, radius: 250 };

export function place(seat, inward) {
  const { straight, radius } = RAIL;
  const arc = Math.PI * radius;
  const reach = radius - inward;
  let way = ((4 * straight + 2 * arc) * seat) / (SEATS + 1);
  const onArc = (side, angle) => ({
    x: RAIL.x + side * straight + Math.cos(angle) * reach,
    y: RAIL.y + Math.sin(angle) * reach,
  });
  if (way < straight) return { x: RAIL.x + way, y: RAIL.y - reach };
  way -= straight;
  if (way < arc) return onArc(1, -Math.PI / 2 + way / radius);
  way -= arc;
  if (way < 2 * straight) return { x: RAIL.x + straight - way, y: RAIL.y + reach };
  way -= 2 * straight;
  if (way < arc) return onArc(-1, Math.PI / 2 + way / radius);
  return { x: RAIL.x - straight + way - arc, y: RAIL.y - reach };
}

function card(x, y, name, deck) {
  const group = shape("g", { transform: `translate(${x - CARD.width / 2} ${y - CARD.height / 2})` });
  const size = { width: CARD.width, height: CARD.height, rx: 5 };
  if (name === null) {
    group.append(shape("rect", { ...size, class: "place" }));
  } else if (name === "back") {
    group.append(shape("rect", { ...size, class: `back ${deck || ""}` }));
  } else {
    const suit = SUITS[name[1]];
    const red = name[1] === "h" || name[1] === "d" ? "pips red" : "pips";
    const rank = name[0] === "T" ? "10" : name[0];
    group.append(shape("rect", { ...size, class: "card" }));
    group.append(shape("text", { x: CARD.width / 2, y: 27, class: red }, suit ? rank : "Joker"));
    if (suit) group.append(shape("text", { x: CARD.width / 2, y: 53, class: red }, suit));
  }
  return group;
}

// Cards lying side by side: the shown ones, then backs for the rest.
function hand(x, y, count, shown, deck) {
  const names = [...(shown || [])];
  while (names.length < count) names.push("back");
  return names.length > SIDE_BY_SIDE ? twoRows(x, y, names, deck) : oneRow(x, y, names, shown, deck);
}

function twoRows(x, y, names, deck) {
  const group = shape("g", { transform: `translate(${x} ${y}) scale(${SMALLER})` });
  const first = Math.ceil(names.length / 2);
  names.forEach((name, index) => {
    const row = index < first ? 0 : 1;
    const [place, among] = row ? [index - first, names.length - first] : [index, first];
    group.append(card((place - (among - 1) / 2) * (CARD.width + 3), (row - 0.5) * (CARD.height + 3), name, deck));
  });
  return group;
}

function oneRow(x, y, names, shown, deck) {
  const group = shape("g", {});
  const step = names.length > 2 ? 32 : shown && shown.length ? CARD.width + 3 : 28;
  names.forEach((name, index) => group.append(card(x + (index - (names.length - 1) / 2) * step, y, name, deck)));
  return group;
}

// A line for each box that holds a wager. They stand where neither neighbours nor cards lie, from a seat's cards on;
// seats 6 to 10 mirror seats 1 to 5. A line too long for its place is squeezed.
const WAGERS_FROM_CARDS = { 1: [0, 68], 2: [0, 68], 3: [-96, 0], 4: [-92, -60], 5: [0, -68] };
const WAGERS = { width: 78, letters: 10, line: 16 };

function drawWagers(number, cards, wagers, counted) {
  const right = number <= SEATS / 2;
  const [across, down] = WAGERS_FROM_CARDS[right ? number : SEATS + 1 - number];
  const x = cards.x + (right ? across : -across);
  const said = ["ante", "blind", "trips", "play"].filter((box) => wagers[box]).map((box) => `${box} ${amount(wagers[box], counted)}`);
  return said.map((words, line) => {
    const y = cards.y + down + 5 + (line - (said.length - 1) / 2) * WAGERS.line;
    const squeezed = words.length > WAGERS.letters ? { textLength: WAGERS.width, lengthAdjust: "spacingAndGlyphs" } : {};
    return shape("text", { x, y, class: "wager", ...squeezed }, words);
  });
}

// Why a player is not in the hand; null for one who is.
export function outInWords(seat) {
  if (seat.state === "waiting") return "waiting";
  if (seat.state === "away") return "away";
  if (seat.state === "leaving") return "leaving";
  return seat.folded ? "folded" : null;
}

export function dueSeats(table) {
  const prompt = table.prompt || {};
  const due = new Set(prompt.decide || []);
  if (table.to_act) due.add(table.to_act);
  if (prompt.show && prompt.show.length) due.add(prompt.show[0]);
  for (const zone of [prompt.deal, prompt.remove]) {
    if (typeof zone === "string" && zone.startsWith("seat:")) due.add(Number(zone.slice(5)));
  }
  return due;
}

function drawSeat(number, seat, table, due, counted) {
  const group = shape("g", seat && seat.folded ? { class: "folded" } : {});
  const spot = place(number, 0);
  const empty = seat ? "" : " empty";
  group.append(shape("circle", { cx: spot.x, cy: spot.y, r: 27, class: `seat${empty}${due.has(number) ? " due" : ""}` }));
  group.append(shape("text", { x: spot.x, y: spot.y, class: `number${empty}` }, number));
  const cards = place(number, 80);
  if (table.clock && table.clock.seat === number) group.append(shape("text", { x: spot.x + 30, y: spot.y - 22, class: "label" }, "clock"));
  const posted = (table.posts || {})[number];
  if (posted !== undefined) {
    const chip = place(number, 148);
    group.append(shape("circle", { cx: chip.x, cy: chip.y, r: 13, class: "chip" }));
    group.append(shape("text", { x: chip.x, y: chip.y + (chip.y > RAIL.y ? -20 : 31), class: "label" }, posted === null ? "blind" : amount(posted, counted)));
  }
  if (seat) {
    if (seat.cards) group.append(hand(cards.x, cards.y, seat.cards, seat.tabled, table.deck));
    const out = outInWords(seat);
    const y = cards.y + (seat.cards > SIDE_BY_SIDE ? 64 : seat.cards ? 51 : 0);
    if (out !== null) group.append(shape("text", { x: cards.x, y, class: "label" }, out));
    else if (seat.wagers) group.append(...drawWagers(number, cards, seat.wagers, counted));
  }
  return group;
}

// Decks that are named by their colour, in the page's language; a deck may have any other name.
const DECKS = { black: "black", blue: "blue", brown: "brown", green: "green", orange: "orange", purple: "purple", red: "red", white: "white", yellow: "yellow" };

export function deckInWords(deck) {
  return Object.hasOwn(DECKS, deck) ? DECKS[deck] : deck;
}

// The shoe with the colour of its deck and its gate, and the drop box, where the game has one.
function drawShoe(table) {
  const locked = table.gate === "locked";
  const shoe = [
    shape("rect", { x: 838, y: 12, width: 154, height: 44, rx: 6, class: `back ${table.deck || "none"}` }),
    shape("text", { x: 915, y: 34, class: "shoe-text" }, table.deck ? `shoe, ${deckInWords(table.deck)}` : "shoe"),
    shape("text", { x: 915, y: 74, class: `gate${locked ? " locked" : ""}` }, locked ? "gate LOCKED" : "gate open"),
  ];
  if (!table.dropbox) return shoe;
  const safe = table.dropbox.present && table.dropbox.locked;
  const words = !table.dropbox.present ? "box missing" : safe ? "drop box" : "box unlocked";
  shoe.push(shape("rect", { x: 16, y: 12, width: 118, height: 44, rx: 6, class: `box${safe ? "" : " unsafe"}` }));
  shoe.push(shape("text", { x: 75, y: 34, class: "box-text" }, words));
  return shoe;
}

// `counted`: what amounts are, the API's `amounts`.
export function drawTable(svg, table, counted) {
  const drawn = [
    shape("rect", { x: 40, y: 50, width: 920, height: 510, rx: 255, class: "cloth" }),
    shape("rect", { x: 420, y: 12, width: 160, height: 44, rx: 8, class: "tray" }),
    shape("text", { x: 500, y: 40, class: "label" }, "dealer"),
  ];
  const inBoxes = (table.seats || []).some((seat) => seat.wagers); // such a table has no line for bets
  if (!inBoxes) drawn.push(shape("rect", { x: 235, y: 185, width: 530, height: 240, rx: 120, class: "betting-line" }));
  const board = table.board || [];
  const hasBoard = BOARD_STREETS.has(table.street) || board.some((name) => name !== null);
  if (hasBoard) board.forEach((name, index) => drawn.push(card(388 + index * 56, 300, name, table.deck)));
  if (table.burn) {
    drawn.push(card(312, 300, "back", table.deck));
    drawn.push(shape("text", { x: 312, y: 354, class: "label" }, `burn ${table.burn}`));
  }
  if (table.muck) {
    drawn.push(card(690, 300, "back", table.deck));
    drawn.push(shape("text", { x: 690, y: 354, class: "label" }, `muck ${table.muck}`));
  }
  if (table.dealer && table.dealer.cards) drawn.push(hand(500, 112, table.dealer.cards, table.dealer.tabled, table.deck));
  drawn.push(...drawShoe(table));
  const seats = new Map((table.seats || []).map((seat) => [seat.seat, seat]));
  const due = dueSeats(table);
  for (let number = 1; number <= SEATS; number += 1) drawn.push(drawSeat(number, seats.get(number), table, due, counted));
  if (table.button) {
    const spot = place(table.button + 0.42, 38);
    drawn.push(shape("circle", { cx: spot.x, cy: spot.y, r: 15, class: "button" }));
    drawn.push(shape("text", { x: spot.x, y: spot.y, class: "button-text" }, "D"));
  }
  renew(svg, drawn);
}
