// Cards for a broadcast: how it stands, and the wishes of the two persons whom it takes.

import { ask } from "./api.js";
import { follow } from "./live.js";
import { at, begin, may, put } from "./shell.js";

function standing(broadcast) {
  if (broadcast === null) return "This table's file has no broadcast.";
  const { on, by, asked, delay_minutes: delay, waiting } = broadcast;
  if (on) return `It is on, turned on by ${by[0]} and ${by[1]}. Each round is held back for ${delay} minutes; held back now: ${waiting}.`;
  if (asked !== null) return `It is off. ${asked} wants it on: a second person must want it too, within five minutes.`;
  return "It is off. Nobody gets a card.";
}

function draw(state) {
  const { broadcast } = state;
  put("stands", standing(broadcast));
  put("key", broadcast === null ? "" : `The key's fingerprint: ${broadcast.to}`);
  at("on").hidden = !may("see_cards") || broadcast === null || broadcast.on;
  at("off").hidden = !may("see_cards") || broadcast === null || (!broadcast.on && broadcast.asked === null);
}

async function wish(on) {
  put("refused", "");
  await ask("POST", "/broadcast", { on }).catch((fault) => put("refused", `Not done: ${fault.message}.`));
}

const first = JSON.parse(at("state").textContent);
if (await begin()) {
  at("on").addEventListener("click", () => wish(true));
  at("off").addEventListener("click", () => wish(false));
  draw(first);
  follow(first, draw, () => null);
}
