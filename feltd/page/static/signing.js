// Decisions that a badge at the table signs: what waits for one, and how it ended.

import { ask } from "./api.js";
import { at, button, isMe, make, notice, redraw } from "./shell.js";
import { wordsFor } from "./vocabulary.js";

const ENDED = { done: "Signed", refused: "Not done", expired: "Not signed", withdrawn: "Taken back" };

function inWords(one) {
  const about = one.ruling === null ? "" : ` ruling ${one.ruling}`;
  const instead = one.outcome === null ? "" : `: ${wordsFor("outcomes", one.outcome)}`;
  return `${wordsFor("decisions", one.decision)}${about}${instead}, asked for by ${one.asked_by}`;
}

async function takeBack(one) {
  try {
    await ask("DELETE", `/decisions/${one.id}`);
  } catch (fault) {
    notice(`Not taken back: ${fault.message}.`);
  }
}

function item(one) {
  const made = make("li", one.state);
  made.dataset.item = one.id;
  if (one.state === "waiting") {
    made.append(make("b", "", "Show a supervisor's badge at the table, twice"), make("span", "", inWords(one)));
    made.append(make("span", "left", `${Math.ceil(one.seconds_left)} s left`));
    if (isMe(one.asked_by)) made.append(button("Take it back", () => takeBack(one)));
  } else {
    made.append(make("b", "", ENDED[one.state]), make("span", "", inWords(one)));
    if (one.signed_by) made.append(make("span", "", `signed by ${one.signed_by}`));
  }
  if (one.detail) made.append(make("span", "", one.detail));
  return made;
}

let shown = "";

export function drawSignatures(signatures) {
  const now = JSON.stringify(signatures.map((one) => [one.id, one.state, one.detail, Math.ceil(one.seconds_left)]));
  if (now === shown) return;
  shown = now;
  at("signatures-section").hidden = signatures.length === 0;
  redraw(at("signatures"), signatures.map(item)); // the count of seconds takes the keyboard from nobody
}
