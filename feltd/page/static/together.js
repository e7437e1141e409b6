// Steps that take two people: what waits for a second person, and how it ended. On the table's page and its devices'.

import { ask, whoAmI } from "./api.js";
import { ROLES } from "./people.js";
import { at, button, isMe, make, may, notice } from "./shell.js";

const KIND = {
  device_key: (about) => `Another key for ${about}`,
  broadcast: () => "Cards of rounds that are over go to the broadcast",
  update: (about) => `Update to ${about}`,
  account: (about) => {
    const [act, name, role, ...badge] = about.split(" ");
    const who = badge.length ? `${name} (${ROLES[role] || role}, ${badge.join(" ")})` : `${name} (${ROLES[role] || role})`;
    return ACTS[act]?.(who) ?? about;
  },
};
const ACTS = {
  make: (who) => `Make the account ${who}`,
  code: (who) => `Another code for the account ${who}`,
  shut: (who) => `Shut the account ${who}`,
  open: (who) => `Open the account ${who}`,
};
const ENDED = { done: "Done", refused: "Refused", expired: "Not approved or not done in time", withdrawn: "Taken back" };
const OPEN = ["waiting", "approved"];

let steps = [];
let drawn = "";
let going = null; // the step that somebody is about to approve

// One's own open step for a device's key; undefined without one.
export const ownStep = (device) => steps.find((one) => one.kind === "device_key" && one.about === device && isMe(one.asked_by) && OPEN.includes(one.state));

async function end(one) {
  try {
    await ask("DELETE", `/together/${one.id}`);
  } catch (fault) {
    notice(`Not done: ${fault.message}.`);
  }
}

async function begin(one) {
  const me = await whoAmI();
  going = one;
  at("approve-what").textContent = KIND[one.kind](one.about);
  at("approve-why").textContent = one.reason ? `${one.asked_by}: ${one.reason}` : one.asked_by;
  at("approve-code-box").hidden = !me?.app;
  at("approve-form").reset();
  at("approve-refusal").textContent = "";
  at("approve-half-box").hidden = true;
  at("approve-do").hidden = false;
  at("approve").showModal();
}

async function approve(event) {
  event.preventDefault();
  at("approve-do").disabled = true;
  at("approve-refusal").textContent = "";
  try {
    const { proof } = await import("./security-keys.js");
    const proven = await proof(await whoAmI(), at("approve-code").value);
    const approved = await ask("POST", `/together/${going.id}/approval`, { password: at("approve-password").value, ...proven });
    if (approved.half === null) at("approve").close();
    at("approve-half").textContent = approved.half ?? "";
    at("approve-half-box").hidden = approved.half === null;
    at("approve-do").hidden = approved.half !== null;
  } catch (fault) {
    at("approve-refusal").textContent = `Not approved: ${fault.message}.`;
  } finally {
    at("approve-do").disabled = false;
    at("approve-password").value = "";
  }
}

function item(one) {
  const made = make("li", one.state);
  made.append(make("b", "", OPEN.includes(one.state) ? KIND[one.kind](one.about) : ENDED[one.state]));
  if (!OPEN.includes(one.state)) made.append(make("span", "", KIND[one.kind](one.about)));
  made.append(make("span", "", one.reason ? `asked for by ${one.asked_by}: ${one.reason}` : `asked for by ${one.asked_by}`));
  if (one.state === "approved" || one.state === "done") made.append(make("span", "", `approved by ${one.second}`));
  if (one.state === "refused") made.append(make("span", "", `refused by ${one.second}`));
  if (!OPEN.includes(one.state)) return made;
  if (isMe(one.asked_by)) made.append(button("Take it back", () => end(one)));
  else {
    if (one.state === "waiting" && (one.kind !== "broadcast" || may("see_cards"))) made.append(button("Approve…", () => begin(one), "main"));
    made.append(button("Refuse", () => end(one)));
  }
  return made;
}

// Called with the steps of each state that comes.
export async function drawTogether(short) {
  const now = JSON.stringify(short);
  if (now === drawn || !may("approve")) return;
  drawn = now;
  try {
    steps = short.length ? await ask("GET", "/together", undefined, true) : [];
  } catch {
    drawn = ""; // the next state asks again
    return;
  }
  at("together-section").hidden = steps.length === 0;
  at("together").replaceChildren(...steps.map(item));
}

export function beginTogether() {
  at("approve-form").addEventListener("submit", approve);
  at("approve-leave").addEventListener("click", () => at("approve").close());
}
