// The tour of the simulated table: what goes wrong next, and the ruling on it until somebody has read it.

import { ask } from "./api.js";
import { inOrder } from "./late.js";
import { at, make } from "./shell.js";
import { clauseInWords, learnWords, wordsFor } from "./vocabulary.js";

const LOOK_EVERY = 700; // milliseconds
const ROOT = "/simulated/tour";
const NOW = {
  coming: "The dealer deals. Watch the table: it goes wrong in a moment.",
  over: "Put right. The round goes on, and the next mistake comes with the next round.",
};

function rulingInWords(told) {
  const ruling = told.ruling;
  if (told.stage === "coming") return [];
  if (!ruling) return ["The table raised an alarm: see it above. It stays until the cause has ended and a person has acknowledged it."];
  const who = ruling.pending ? `Waits for the ${ruling.authority}` : `Carried out by the ${ruling.authority}; a supervisor may overrule it`;
  return [`${clauseInWords(ruling.rule)}: ${wordsFor("irregularities", ruling.irregularity)}${ruling.seat ? `, seat ${ruling.seat}` : ""}.`, ruling.text, `Outcome: ${wordsFor("outcomes", ruling.outcome)}. ${who}.`];
}

function nowInWords({ stage, ruling }) {
  if (stage === "held") {
    return ruling ? "feltd has ruled. The simulated people wait until you have read it." : "feltd has raised an alarm. The simulated people wait until you have read it.";
  }
  if (stage !== "decided") return NOW[stage];
  if (ruling && !ruling.pending) return "The dealer puts it right as the ruling says: watch the prompts.";
  return "The simulated supervisor comes with a badge, puts it right and decides: watch the cause end.";
}

let drawn = "";
let number = 0; // of the stop that is shown
const asks = inOrder();

// Draws the tour as an answer has it, unless a later one has come before it.
async function drawOf(answer) {
  const counts = asks();
  const told = await answer;
  if (counts()) draw(told);
}

function draw(told) {
  const now = JSON.stringify(told);
  if (now === drawn) return;
  drawn = now;
  number = told.number;
  at("tour").hidden = number === 0;
  if (number === 0) return;
  at("tour-where").textContent = `The tour, mistake ${told.number} of ${told.of}. ${nowInWords(told)}`;
  at("tour-title").textContent = told.title;
  at("tour-shows").textContent = told.shows;
  at("tour-ruling").replaceChildren(...rulingInWords(told).map((words) => make("p", "", words)));
  at("tour-on").hidden = told.stage !== "held";
}

async function look() {
  try {
    await drawOf(ask("GET", ROOT, undefined, true));
  } catch {} // the page's own line says that the table is away
  setTimeout(look, LOOK_EVERY);
}

at("tour-on").addEventListener("click", () => drawOf(ask("POST", `${ROOT}/go-on`, { number }).catch(() => ({ number: 0 }))));

await learnWords().catch(() => null);
look();
