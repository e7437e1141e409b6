// Steps that take two people: what waits for a second person, and how it ended. On the table's page and its devices'.

import { ask, whoAmI } from "./api.js";
import { inOrder, openKnowing, sendAbout, wantedFor } from "./late.js";
import { ROLES } from "./people.js";
import { at, button, isMe, make, may, notice, redraw } from "./shell.js";

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
const ENDED = { done: "Done", refused: "Refused", expired: "Not approved or not done in time", withdrawn: "Taken back", failed: "Approved, and not done: it could not be" };
const OPEN = ["waiting", "approved"];

let steps = [];
let drawn = "";
let going = null; // the step that somebody is about to approve
const asks = inOrder();

// One's own open step for a device's key; undefined without one.
export const ownStep = (device) => steps.find((one) => one.kind === "device_key" && one.about === device && isMe(one.asked_by) && OPEN.includes(one.state));

async function end(one) {
  try {
    await ask("DELETE", `/together/${one.id}`);
  } catch (fault) {
    notice(`Not done: ${fault.message}.`);
  }
}

function begin(one, me) {
  going = one;
  at("approve-what").textContent = KIND[one.kind](one.about);
  at("approve-why").textContent = one.reason ? `${one.asked_by}: ${one.reason}` : one.asked_by;
  at("approve-code-box").hidden = !me?.app;
  at("approve-form").reset();
  at("approve-refusal").textContent = "";
  at("approve-half-box").hidden = true;
  at("approve-do").hidden = false;
  if (!at("approve").open) at("approve").showModal();
}

async function approve(event) {
  event.preventDefault();
  const one = going;
  const [password, code] = [at("approve-password").value, at("approve-code").value];
  at("approve-password").value = "";
  at("approve-refusal").textContent = "";
  const send = async () => {
    const { proof } = await import("./security-keys.js");
    return ask("POST", `/together/${one.id}/approval`, { password, ...(await proof(await whoAmI(), code)) });
  };
  const inWords = (fault) => `Not approved: ${fault.message}.`;
  const done = await sendAbout(at("approve"), [at("approve-do")], send, inWords, (words) => (at("approve-refusal").textContent = words));
  if (done === null) return;
  if (done.told.half !== null) return showHalf(one, done);
  if (done.here) at("approve").close();
}

// It is shown once: to somebody who has left the dialog, too, and never beneath another step.
function showHalf(one, { told, here }) {
  if (!here) {
    wantedFor(at("approve"));
    begin(one, null);
  }
  at("approve-half").textContent = told.half;
  at("approve-half-box").hidden = false;
  at("approve-do").hidden = true;
}

// The page that was to do it may have ended before it told the table how it went.
const untold = (one) => one.kind === "account" && one.state === "expired" && one.second !== null;
const ending = (one) => (untold(one) ? "Approved: the list of accounts shows whether it was done" : ENDED[one.state]);

function item(one) {
  const made = make("li", one.state);
  made.dataset.item = one.id;
  made.append(make("b", "", OPEN.includes(one.state) ? KIND[one.kind](one.about) : ending(one)));
  if (!OPEN.includes(one.state)) made.append(make("span", "", KIND[one.kind](one.about)));
  made.append(make("span", "", one.reason ? `asked for by ${one.asked_by}: ${one.reason}` : `asked for by ${one.asked_by}`));
  if (["approved", "done", "failed"].includes(one.state) || untold(one)) made.append(make("span", "", `approved by ${one.second}`));
  if (one.state === "refused") made.append(make("span", "", `refused by ${one.second}`));
  if (!OPEN.includes(one.state) || (one.kind === "account" && one.state === "approved")) return made;
  if (isMe(one.asked_by)) made.append(button("Take it back", () => end(one)));
  else {
    if (one.state === "waiting" && (one.kind !== "broadcast" || may("see_cards"))) made.append(button("Approve…", () => openKnowing(at("approve"), (me) => begin(one, me)), "main"));
    made.append(button("Refuse", () => end(one)));
  }
  return made;
}

// Called with the steps of each state that comes.
export async function drawTogether(short) {
  const now = JSON.stringify(short);
  if (now === drawn || !may("approve")) return;
  drawn = now;
  const counts = asks();
  try {
    const told = short.length ? await ask("GET", "/together", undefined, true) : [];
    if (!counts()) return;
    steps = told;
  } catch {
    if (counts()) drawn = ""; // the next state asks again
    return;
  }
  at("together-section").hidden = steps.length === 0;
  redraw(at("together"), steps.map(item));
}

export function beginTogether() {
  at("approve-form").addEventListener("submit", approve);
  at("approve-leave").addEventListener("click", () => at("approve").close());
}
