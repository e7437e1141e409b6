// Cards for a broadcast: how it stands, and the wishes of the two persons whom it takes.

import { ask, whoAmI } from "./api.js";
import { openKnowing, sendFrom } from "./late.js";
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

function prove(me) {
  at("prove-code-box").hidden = !me?.app;
  at("prove-form").reset();
  put("refused", "");
  put("prove-refusal", "");
  at("prove").showModal();
}

async function turnOn(event) {
  event.preventDefault();
  const [password, code] = [at("prove-password").value, at("prove-code").value];
  at("prove-password").value = "";
  put("prove-refusal", "");
  const send = async () => {
    const { proof } = await import("./security-keys.js");
    await ask("POST", "/broadcast", { on: true, password, ...(await proof(await whoAmI(), code)) });
  };
  await sendFrom(at("prove"), [at("prove-do")], send, (fault) => `Not done: ${fault.message}.`, (words) => put("prove-refusal", words));
}

const first = JSON.parse(at("state").textContent);
if (await begin()) {
  at("on").addEventListener("click", () => openKnowing(at("prove"), prove));
  at("off").addEventListener("click", turnOff);
  at("prove-form").addEventListener("submit", turnOn);
  at("prove-leave").addEventListener("click", () => at("prove").close());
  draw(first);
  follow(first, draw, () => null);
}
