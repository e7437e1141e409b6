// A person's decisions: on a ruling that waits, on the table (a floor decision), on a seat and its clock.

import { ask } from "./api.js";
import { sendFrom, wantedFor } from "./late.js";
import { at, button, make, may, notice, redraw } from "./shell.js";
import { clauseInWords, decisionsUpon, effectOf, inSentence, needs, outcomesToChoose, beginSentence, wordsFor } from "./vocabulary.js";

let wanted = null;

export async function decide(body) {
  return ask("POST", "/decisions", body);
}

// Asks for the reason, then decides. `ruling` is null for a floor decision; `seat` is null but for a decision on a player.
// `table`: at the pit, which one of them.
export function open(decision, ruling, seat = null, table = null) {
  wantedFor(at("decide"));
  wanted = { decision, ruling: ruling ? ruling.id : null };
  if (table !== null) wanted.table = table;
  if (seat !== null) wanted.seat = seat;
  const words = wordsFor("decisions", decision) + (table === null ? "" : ` at ${table}`);
  at("decide-title").textContent = ruling ? `${words}: ruling ${ruling.id}` : seat === null ? words : `${words}: seat ${seat}`;
  at("decide-about").textContent = ruling ? `${clauseInWords(ruling.rule)}: ${ruling.text}` : "Your name and reason are recorded.";
  at("decide-effect").textContent = [effectOf(decision), ruling && ruling.after].filter(Boolean).join(" ");
  at("decide-outcome").hidden = !needs(decision, "outcome");
  at("reason-free").hidden = needs(decision, "reason");
  at("reason").required = needs(decision, "reason");
  at("reason").value = "";
  at("decide-refusal").textContent = "";
  at("decide-do").textContent = words;
  at("decide").showModal();
  at("reason").focus();
}

// Somebody else was first: whoever has the dialog open is told while they think.
export function tellOpen(state) {
  if (!at("decide").open || wanted.ruling === null || needs(wanted.decision, "outcome")) return;
  const ruling = state.rulings.find((one) => one.id === wanted.ruling);
  if (!ruling || ruling.waits) return;
  const how = ruling.settled;
  const words = how && how.by ? `${how.by} has decided it already: ${inSentence(wordsFor("decisions", how.decision))}.` : "No decision is needed any more: cleared automatically.";
  if (at("decide-refusal").textContent !== words) at("decide-refusal").textContent = words;
}

// The form's two buttons: one decides, the other has a badge at the table sign it.
async function decided(event) {
  event.preventDefault();
  const reason = at("reason").value.trim();
  const body = { ...wanted, reason: reason || null };
  if (needs(wanted.decision, "outcome")) body.outcome = at("outcome").value;
  const byBadge = at("decide-badge") && (event.submitter === at("decide-badge") || !may("decide"));
  if (byBadge) body.signature = "badge";
  const inWords = (fault) => `Not ${byBadge ? "asked for" : "done"}: ${fault.message}.`;
  const buttons = [at("decide-do"), at("decide-badge")].filter(Boolean);
  const done = await sendFrom(at("decide"), buttons, () => decide(body), inWords, (words) => (at("decide-refusal").textContent = words));
  const told = done?.told;
  if (told?.result === "not known") notice(`${body.table}: not known. ${told.words}`);
}

// ---- what a button does, beside it

let described = 0;

// A button with what happens when it is pressed. `why`: it cannot take effect now, and why; null where it can.
export function explained(one, effect, why = null) {
  const item = make("li", why === null ? "" : "not-now");
  const words = make("span", "", why === null ? effect : `Not now: ${why}`);
  words.id = `effect-${(described += 1)}`;
  one.setAttribute("aria-describedby", words.id);
  one.disabled = why !== null;
  item.append(one, words);
  return item;
}

const whyRefused = (state, decision, seat = null) => state.refused.find((one) => one.decision === decision && one.seat === seat)?.why ?? null;

// ---- a seat

export function openSeat(number, seat, state) {
  wantedFor(at("seat-dialog"));
  const tools = [];
  const add = (words, what, effect, why = null) => tools.push(explained(button(words, what), effect, why));
  const change = (words, what, effect) => add(words, () => seatAsk(`/seats/${number}`, { change: what }), effect);
  const { clock } = state.table;
  if (!seat) change("A player takes this seat", "in", "The player is dealt in as the rulebook says: at once or from a later round.");
  else {
    change("The player leaves", "out", "The seat is free once this round is over.");
    if (seat.state === "away") change("The player is back", "back", "The player is dealt in again as the rulebook says.");
    else change("The player is away", "away", "The seat is kept and gets no cards, as long as the rulebook allows.");
    add("Clock on this player", () => seatAsk(`/seats/${number}/clock`, { run: true }), "The player must decide before the clock runs out, else the rulebook decides.");
    add("Stop the clock", () => seatAsk(`/seats/${number}/clock`, { run: false }), "The player has time again.", clock && clock.seat === number ? null : "no clock runs on this player");
    for (const decision of decisionsUpon("seat")) {
      add(`${decision.words}…`, () => (at("seat-dialog").close(), open(decision.name, null, number)), decision.effect, whyRefused(state, decision.name, number));
    }
  }
  at("seat-title").textContent = `Seat ${number}`;
  at("seat-tools").replaceChildren(...tools);
  at("seat-refusal").textContent = "";
  at("seat-dialog").showModal();
}

async function seatAsk(path, body) {
  const inWords = (fault) => `Not done: ${fault.message}.`;
  await sendFrom(at("seat-dialog"), [], () => ask("POST", path, body), inWords, (words) => (at("seat-refusal").textContent = words));
}

export function beginDecisions() {
  at("outcome").replaceChildren(
    ...outcomesToChoose().map((one) => Object.assign(document.createElement("option"), { value: one.name, textContent: beginSentence(one.words) }))
  );
  at("decide").querySelector("form").addEventListener("submit", decided);
  at("decide-leave").addEventListener("click", () => at("decide").close());
  at("seat-leave")?.addEventListener("click", () => at("seat-dialog").close());
}

let actsDrawn = "";

export function drawActs(state) {
  const now = JSON.stringify([decisionsUpon("table").length, state.refused]);
  if (!at("acts") || now === actsDrawn) return;
  actsDrawn = now;
  const act = (decision) => explained(button(decision.words, () => open(decision.name, null)), decision.effect, whyRefused(state, decision.name));
  redraw(at("acts"), decisionsUpon("table").map(act));
}

// The buttons of a ruling, for who may decide or may have a badge at the table sign it: each with what it does where the
// ruling waits. One that was given has one, whose dialog says it.
export function buttonsFor(ruling) {
  if (!may("ask")) return null;
  const overrule = ruling.may_overrule ? decisionsUpon("given").map((decision) => ({ ...decision, words: `${decision.words}…` })) : [];
  const press = (decision, main) => button(decision.words, () => open(decision.name, ruling), main ? "main" : "");
  const offered = [...(ruling.waits ? decisionsUpon("waiting") : []), ...overrule];
  if (!offered.length) return null;
  const box = make(ruling.waits ? "ul" : "p", ruling.waits ? "acts" : "tools");
  const why = (decision) => ruling.not_yet.find((one) => one.decision === decision.name)?.why ?? null;
  for (const [index, decision] of offered.entries()) {
    const one = press(decision, ruling.waits && index === 0);
    const effect = index === 0 ? `${decision.effect} ${ruling.after}` : decision.effect;
    box.append(ruling.waits ? explained(one, effect, why(decision)) : one);
  }
  return box;
}
