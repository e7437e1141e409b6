// A person's decisions: on a ruling that waits, on the table (a floor decision), on a seat and its clock.

import { ask } from "./api.js";
import { at, button, may, notice } from "./shell.js";
import { clauseInWords, decisionsUpon, inSentence, needs, outcomesToChoose, beginSentence, wordsFor } from "./vocabulary.js";

let wanted = null;

export async function decide(body) {
  return ask("POST", "/decisions", body);
}

// Asks for the reason, then decides. `ruling` is null for a floor decision; `seat` is null but for a decision on a player.
// `table`: at the pit, which one of them.
export function open(decision, ruling, seat = null, table = null) {
  wanted = { decision, ruling: ruling ? ruling.id : null };
  if (table !== null) wanted.table = table;
  if (seat !== null) wanted.seat = seat;
  const words = wordsFor("decisions", decision) + (table === null ? "" : ` at ${table}`);
  at("decide-title").textContent = ruling ? `${words}: ruling ${ruling.id}` : seat === null ? words : `${words}: seat ${seat}`;
  at("decide-about").textContent = ruling ? `${clauseInWords(ruling.rule)}: ${ruling.text}` : "Your name and reason are recorded.";
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
async function done(event) {
  event.preventDefault();
  const reason = at("reason").value.trim();
  const body = { ...wanted, reason: reason || null };
  if (needs(wanted.decision, "outcome")) body.outcome = at("outcome").value;
  const byBadge = at("decide-badge") && (event.submitter === at("decide-badge") || !may("decide"));
  if (byBadge) body.signature = "badge";
  const buttons = [at("decide-do"), at("decide-badge")].filter(Boolean);
  for (const one of buttons) one.disabled = true;
  try {
    const told = await decide(body);
    at("decide").close();
    if (told && told.result === "not known") notice(`${wanted.table}: not known. ${told.words}`);
  } catch (fault) {
    at("decide-refusal").textContent = `Not ${byBadge ? "asked for" : "done"}: ${fault.message}.`;
  } finally {
    for (const one of buttons) one.disabled = false;
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
    for (const decision of decisionsUpon("seat")) tools.push(button(`${decision.words}…`, () => (at("seat-dialog").close(), open(decision.name, null, number))));
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
    ...outcomesToChoose().map((one) => Object.assign(document.createElement("option"), { value: one.name, textContent: beginSentence(one.words) }))
  );
  at("decide").querySelector("form").addEventListener("submit", done);
  at("decide-leave").addEventListener("click", () => at("decide").close());
  at("seat-leave")?.addEventListener("click", () => at("seat-dialog").close());
  at("acts")?.replaceChildren(...decisionsUpon("table").map((decision) => button(decision.words, () => open(decision.name, null))));
}

// The buttons of a ruling, for who may decide or may have a badge at the table sign it.
export function buttonsFor(ruling) {
  if (!may("ask")) return [];
  const made = [];
  const add = (decision, words) => made.push(button(words, () => open(decision.name, ruling), made.length || !ruling.waits ? "" : "main"));
  if (ruling.waits) for (const decision of decisionsUpon("waiting")) add(decision, decision.words);
  if (ruling.may_overrule) for (const decision of decisionsUpon("given")) add(decision, `${decision.words}…`);
  return made;
}
