// What a person decides: on a ruling that waits or of their own motion, about a seat, about its clock.

import { ask } from "./api.js";
import { at, button, may } from "./shell.js";

const WORDS = {
  confirm: "Confirm",
  overrule: "Overrule",
  misdeal: "Declare a misdeal",
  void: "Void the round",
  play_on: "Play on",
  resume: "Resume",
  check_deck: "Have the deck checked",
  acknowledge: "Seen",
};
const NEEDS_REASON = new Set(["overrule", "misdeal", "void"]);
const OUTCOMES = [
  "play_on", "warn", "misdeal", "void_round", "void_hand", "dead_hand", "fold_hand", "check_hand", "reconstruct",
  "reshuffle_into_stub", "use_in_sequence", "replace_with_first_burn", "no_burn_before_flop", "treat_as_burn",
  "binding", "may_call_or_fold", "all_options", "return_bet", "return_excess", "treat_as_call", "complete_raise",
  "add_or_fold", "penalty_floor", "check_deck", "call_floor", "stop_table",
]; // those that a person may put in a ruling's place

let wanted = null;

export async function decide(body) {
  return ask("POST", "/decisions", body);
}

// Asks for the reason, then decides. `ruling` is null for a decision of one's own motion.
export function open(decision, ruling) {
  wanted = { decision, ruling: ruling ? ruling.id : null };
  at("decide-title").textContent = ruling ? `${WORDS[decision]}: ruling ${ruling.id}` : WORDS[decision];
  at("decide-about").textContent = ruling ? `${ruling.rule}: ${ruling.text}` : "Who and why stand in the record.";
  at("decide-outcome").hidden = decision !== "overrule";
  at("reason-free").hidden = NEEDS_REASON.has(decision);
  at("reason").required = NEEDS_REASON.has(decision);
  at("reason").value = "";
  at("decide-refusal").textContent = "";
  at("decide-do").textContent = WORDS[decision];
  at("decide").showModal();
  at("reason").focus();
}

// Somebody else was first: whoever has the dialog open is told while they think.
export function tellOpen(state) {
  if (!at("decide").open || wanted.ruling === null || wanted.decision === "overrule") return;
  const ruling = state.rulings.find((one) => one.id === wanted.ruling);
  if (!ruling || ruling.waits) return;
  const how = ruling.settled;
  const words = how && how.by ? `${how.by} has decided it already: ${how.decision.replaceAll("_", " ")}.` : "It waits for nobody any more: its cause ended.";
  if (at("decide-refusal").textContent !== words) at("decide-refusal").textContent = words;
}

// The form's two buttons: one decides, the other has a badge at the table sign it.
async function done(event) {
  event.preventDefault();
  const reason = at("reason").value.trim();
  const body = { ...wanted, reason: reason || null };
  if (wanted.decision === "overrule") body.outcome = at("outcome").value;
  const byBadge = event.submitter === at("decide-badge") || !may("decide");
  if (byBadge) body.signature = "badge";
  for (const one of ["decide-do", "decide-badge"]) at(one).disabled = true;
  try {
    await decide(body);
    at("decide").close();
  } catch (fault) {
    at("decide-refusal").textContent = `Not ${byBadge ? "asked for" : "done"}: ${fault.message}.`;
  } finally {
    for (const one of ["decide-do", "decide-badge"]) at(one).disabled = false;
  }
}

// ---- a seat

export function openSeat(number, seat) {
  const tools = [];
  const change = (words, what) => tools.push(button(words, () => seatAsk(`/seats/${number}`, { change: what })));
  if (!seat) change("A player takes this seat", "in");
  else {
    change("The player leaves", "out");
    if (seat.state === "away") change("The player is back", "back");
    else change("The player is away", "away");
    tools.push(button("Clock on this player", () => seatAsk(`/seats/${number}/clock`, { run: true })));
    tools.push(button("Stop the clock", () => seatAsk(`/seats/${number}/clock`, { run: false })));
  }
  at("seat-title").textContent = `Seat ${number}`;
  at("seat-tools").replaceChildren(...tools);
  at("seat-refusal").textContent = "";
  at("seat-dialog").showModal();
}

async function seatAsk(path, body) {
  try {
    await ask("POST", path, body);
    at("seat-dialog").close();
  } catch (fault) {
    at("seat-refusal").textContent = `Not done: ${fault.message}.`;
  }
}

export function beginDecisions() {
  at("outcome").replaceChildren(
    ...OUTCOMES.map((name) => Object.assign(document.createElement("option"), { value: name, textContent: name.replaceAll("_", " ") }))
  );
  at("decide").querySelector("form").addEventListener("submit", done);
  at("decide-leave").addEventListener("click", () => at("decide").close());
  at("seat-leave").addEventListener("click", () => at("seat-dialog").close());
  for (const one of document.querySelectorAll("[data-decision]")) {
    one.addEventListener("click", () => open(one.dataset.decision, null));
  }
}

// The buttons of a ruling, for whoever is signed in: who may not decide can have a badge at the table sign it.
export function buttonsFor(ruling) {
  if (!may("signed")) return [];
  const made = [];
  if (ruling.waits) {
    made.push(button("Confirm", () => open("confirm", ruling), "main"));
    made.push(button("Play on", () => open("play_on", ruling)));
  }
  if (ruling.may_overrule) made.push(button("Overrule…", () => open("overrule", ruling)));
  return made;
}
