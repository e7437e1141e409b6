// Custody's alarms at the pit: a person acknowledges or closes one, with why. And when all that is kept was last proved.

import { ask } from "./api.js";
import { sendFrom, wantedFor } from "./late.js";
import { at, moment } from "./shell.js";

let wanted = null;

export function openAnswer(state, item) {
  wantedFor(at("answer"));
  wanted = { ...item.custody, state };
  at("answer-title").textContent = state === "closed" ? `Close this alarm of ${item.table}` : `Acknowledge this alarm of ${item.table}`;
  at("answer-about").textContent = item.text;
  at("answer-do").textContent = state === "closed" ? "Close it" : "Acknowledge it";
  at("answer-reason").value = "";
  at("answer-refusal").textContent = "";
  at("answer").showModal();
  at("answer-reason").focus();
}

async function answered(event) {
  event.preventDefault();
  const said = { ...wanted, reason: at("answer-reason").value.trim() };
  const inWords = (fault) => `Not answered: ${fault.message}.`;
  await sendFrom(at("answer"), [at("answer-do")], () => ask("POST", "/custody", said), inWords, (words) => (at("answer-refusal").textContent = words));
}

export function beginAnswers() {
  at("answer").querySelector("form").addEventListener("submit", answered);
  at("answer-leave").addEventListener("click", () => at("answer").close());
}

export function provedWords(proof) {
  if (!proof) return "Nothing that the floor keeps was proved yet.";
  const found = proof.faults ? `${proof.faults} WITH FAULTS` : "all as they were taken in";
  return `Proved ${moment(proof.ended)}: ${proof.journals} records with ${proof.entries} entries, ${found}`;
}
