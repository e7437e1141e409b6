// Cards for a broadcast: how it stands, and the wishes of the two persons whom it takes.

import { ask, whoAmI } from "./api.js";
import { follow } from "./live.js";
import { at, begin, may, put } from "./shell.js";

function standing(broadcast) {
  if (broadcast === null) return "This table's file has no broadcast.";
  const { on, by, asked, delay_minutes: delay, waiting } = broadcast;
  if (on) return `It is on, turned on by ${by[0]} and ${by[1]}. Each round is held back for ${delay} minutes; held back now: ${waiting}.`;
  if (asked !== null) return `It is off. ${asked} wants it on: a second person must want it too, within fifteen minutes.`;
  return "It is off. Nobody gets a card.";
}

function draw(state) {
  const { broadcast } = state;
  put("stands", standing(broadcast));
  put("key", broadcast === null ? "" : `The key's fingerprint: ${broadcast.to}`);
  at("on").hidden = !may("see_cards") || broadcast === null || broadcast.on;
  at("off").hidden = !may("see_cards") || broadcast === null || (!broadcast.on && broadcast.asked === null);
}

async function turnOff() {
  put("refused", "");
  await ask("POST", "/broadcast", { on: false }).catch((fault) => put("refused", `Not done: ${fault.message}.`));
}

async function prove() {
  const me = await whoAmI();
  at("prove-code-box").hidden = !me?.app;
  at("prove-form").reset();
  put("refused", "");
  put("prove-refusal", "");
  at("prove").showModal();
}

async function turnOn(event) {
  event.preventDefault();
  at("prove-do").disabled = true;
  put("prove-refusal", "");
  try {
    const { proof } = await import("./security-keys.js");
    const proven = await proof(await whoAmI(), at("prove-code").value);
    await ask("POST", "/broadcast", { on: true, password: at("prove-password").value, ...proven });
    at("prove").close();
  } catch (fault) {
    put("prove-refusal", `Not done: ${fault.message}.`);
  } finally {
    at("prove-do").disabled = false;
    at("prove-password").value = "";
  }
}

const first = JSON.parse(at("state").textContent);
if (await begin()) {
  at("on").addEventListener("click", prove);
  at("off").addEventListener("click", turnOff);
  at("prove-form").addEventListener("submit", turnOn);
  at("prove-leave").addEventListener("click", () => at("prove").close());
  draw(first);
  follow(first, draw, () => null);
}
