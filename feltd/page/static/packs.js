// Packs of cards that are chips: cards are laid on the table's readers, and the page says which comes next. It never has a chip's number.

import { ask, whoAmI } from "./api.js";
import { inOrder, openKnowing, sendFrom } from "./late.js";
import { follow } from "./live.js";
import { at, begin, button, isMe, make, may, put, redraw } from "./shell.js";

const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const SUITS = { s: "♠ spades", h: "♥ hearts", d: "♦ diamonds", c: "♣ clubs" };
const STATES = { in_use: "at the table", resting: "at rest", retired: "out of play" };
const DOING = {
  enrol: (work) => work.gathering ? `Enrolling ${work.name}: ${work.laid} of ${work.cards} chips seen` : `Enrolling ${work.name}: card ${Math.min(work.laid + 1, work.cards)} of ${work.cards}`,
  check: (work) => `Checking ${work.name}: ${work.laid} of ${work.cards} cards`,
  replace: (work) => `A spare card for ${work.name}`,
};
const HEARD = {
  taken: () => "",
  again: (work) => work.gathering ? "That chip was seen already: it counts once." : `That chip was laid already, as card ${work.heard_place}: it counts once. Lay another card.`,
  of_pack: (work) => `That is a card of the pack ${work.heard_pack}: take it away. Two packs are mixed.`,
  unknown: () => "That chip is in no pack of this table: take it away.",
  changing: () => "That is a phone or a bank card, whose number changes: take it away.",
  not_whole: () => "That chip was not read whole: lay the card flat and alone, and keep metal away.",
  together: () => "Two chips came at once, and nobody knows which was first: take both away, and lay one card at a time.",
  not_seen: () => "That chip was not among those of the pack: take it away.",
  too_many: (work) => work.gathering ? "One chip too many: take the card away that is none of this pack, say that all are to be seen anew, and lay the pack once more." : "All cards are laid: that chip is one too many. Take it away, or take the last card back.",
};
const TITLES = { use: "Put to use", rest: "Put to rest", retire: "Retire for good" };
const BECOMES = { use: "in_use", rest: "resting", retire: "retired" };

let drawn = "";
const asks = inOrder();
let sending = null; // what the dialog is about: the address, and what goes into its body

const card = (name) => (SUITS[name[1]] ? `${SUITS[name[1]]}, ${RANKS[name[0]] || name[0]}` : "the joker");

function nextInWords(work) {
  if (work.work === "check") return work.laid === work.cards ? "The whole pack is there." : "Lay its cards on a reader one after the other, in any order, or draw them from the shoe.";
  if (work.gathering) return work.laid === work.cards ? "All chips have been seen. Now sort the pack, and put it in order." : "Lay the whole pack on readers, in piles of a few cards, in any order.";
  if (work.next === null) return "All cards are laid. Keep it, or take the last card back.";
  return `Lay now: ${card(work.next)}`;
}

function found(work) {
  const said = Object.entries(work.others).map(([name, count]) => `Of the pack ${name}: ${count}. Take them out.`);
  if (work.unknown) said.push(`In no pack: ${work.unknown}. Take them out.`);
  if (work.misplaced.length) said.push(`Not where they were when they were enrolled: ${work.misplaced.map(card).join(", ")}. If they lie in order now, exchange two, or retire the pack and enrol it anew.`);
  if (work.missing && work.missing.length) said.push(`Missing: ${work.missing.map(card).join(", ")}`);
  return said.map((words) => make("li", "", words));
}

function drawWork(work) {
  at("work-section").hidden = work === null;
  if (work === null) return;
  put("work-title", DOING[work.work](work));
  put("work-next", nextInWords(work));
  put("work-heard", work.heard === null ? "" : HEARD[work.heard](work));
  at("work-found").replaceChildren(...found(work));
  const whole = !work.gathering && (work.work === "check" || work.laid === work.cards);
  at("work-keep").disabled = !whole || !isMe(work.by);
  put("work-keep", work.work === "check" ? "Put on record" : "Keep it");
  at("work-order").hidden = !work.gathering;
  at("work-order").disabled = work.laid !== work.cards || !isMe(work.by);
  put("work-back", work.gathering ? "Let all be seen anew" : "Take the last card back");
  at("work-back").disabled = work.laid === 0 || !isMe(work.by);
  at("work-back").hidden = work.work === "check";
}

function item(pack) {
  const made = make("li", "");
  made.dataset.item = pack.name;
  made.append(make("b", "", pack.name), make("span", "", ` ${pack.back}, ${pack.cards} cards, ${STATES[pack.state]} `));
  made.append(button("Check…", () => open("Check", `${pack.name}, ${pack.back}`, "/packs/work", { work: "check", name: pack.name })));
  if (pack.state === "retired") return made;
  made.append(button("Replace a card…", () => open("Replace a card", `${pack.name}, ${pack.back}`, "/packs/work", { work: "replace", name: pack.name })));
  made.append(button("Exchange two cards…", () => open("Exchange two cards", `${pack.name}, ${pack.back}`, "/packs/swap", { name: pack.name })));
  for (const [way, words] of Object.entries(TITLES)) {
    if (BECOMES[way] === pack.state) continue;
    made.append(button(`${words}…`, () => open(words, `${pack.name}, ${pack.back}`, "/packs/state", { name: pack.name, state: BECOMES[way] })));
  }
  return made;
}

function draw(now) {
  const said = JSON.stringify(now);
  if (said === drawn) return;
  drawn = said;
  put("trouble", now.trouble || "");
  drawWork(now.work);
  const items = now.packs.map(item);
  redraw(at("packs"), items.length ? items : [make("li", "quiet", "No pack is enrolled.")]);
}

async function renewed() {
  if (!may("devices")) {
    redraw(at("packs"), [make("li", "quiet", "Only a technician sees and changes packs.")]);
    return;
  }
  await drawOf(ask("GET", "/packs", undefined, true)).catch(() => null); // the next state asks again
}

// Draws the packs as an answer has them, unless a later one has come before it.
async function drawOf(answer) {
  const counts = asks();
  const now = await answer;
  if (counts()) draw(now);
}

const open = (title, what, address, body) => openKnowing(at("begin"), (me) => show(me, title, what, address, body));

function show(me, title, what, address, body) {
  sending = { address, body };
  put("begin-title", title);
  put("begin-what", what);
  at("enrol-fields").hidden = body.work !== "enrol";
  at("replace-fields").hidden = body.work !== "replace";
  at("swap-fields").hidden = address !== "/packs/swap";
  at("begin-code-box").hidden = !me?.app;
  at("begin-form").reset();
  put("begin-do", address === "/packs/work" ? "Begin" : title);
  put("begin-refusal", "");
  at("begin").showModal();
}

function wholeOrNot() {
  const whole = at("enrol-whole").checked;
  return { whole, spares: whole ? Number(at("enrol-spares").value) : 0 };
}

function filled(body) {
  if (body.work === "enrol") return { ...body, name: at("enrol-name").value, back: at("enrol-back").value, cards: Number(at("enrol-cards").value), joker: at("enrol-joker").checked, ...wholeOrNot() };
  if (sending.address === "/packs/swap") return { ...body, card: chosen("swap-one"), other: chosen("swap-other") };
  return body.work === "replace" ? { ...body, card: chosen("replace") } : body;
}

function chosen(which) {
  const rank = at(`${which}-rank`).value;
  return rank.length > 1 ? rank : rank + at(`${which}-suit`).value;
}

async function send(event) {
  event.preventDefault();
  const { address } = sending;
  const said = { ...filled(sending.body), password: at("begin-password").value };
  const code = at("begin-code").value;
  at("begin-password").value = "";
  put("begin-refusal", "");
  const post = async () => {
    const { proof } = await import("./security-keys.js");
    await drawOf(ask("POST", address, { ...said, ...(await proof(await whoAmI(), code)) }));
  };
  await sendFrom(at("begin"), [at("begin-do")], post, (fault) => `Not done: ${fault.message}.`, (words) => put("begin-refusal", words));
}

async function step(name) {
  put("refused", "");
  try {
    await drawOf(ask("POST", "/packs/work/step", { step: name }));
  } catch (fault) {
    put("refused", `Not done: ${fault.message}.`);
  }
}

const first = JSON.parse(at("state").textContent);
if (await begin()) {
  at("enrol").addEventListener("click", () => open("Enrol a pack", "Lay its cards one by one on a reader of the table: spades, hearts, diamonds, clubs, in each from the ace and the 2 up to the king. Or sort the pack so and draw it from the shoe.", "/packs/work", { work: "enrol" }));
  for (const name of ["keep", "order", "back", "stop"]) at(`work-${name}`).addEventListener("click", () => step(name));
  at("begin-form").addEventListener("submit", send);
  at("begin-leave").addEventListener("click", () => at("begin").close());
  await renewed();
  follow(first, renewed, () => null);
}
