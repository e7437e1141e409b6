// A person's own account: where they are signed in, and another password.

import { ask, whoAmI } from "./api.js";
import { inOrder } from "./late.js";
import { watchOver } from "./live.js";
import { beginKeys } from "./own-keys.js";
import { beginPeople } from "./people.js";
import { beginSecondFactor } from "./second-factor.js";
import { at, begin, button, make, may, moment, notice, putRows } from "./shell.js";
import { beginTokens } from "./tokens.js";

function row(one) {
  const made = make("tr");
  const state = one.here ? "this browser" : one.read_only ? "read-only" : "signed in";
  for (const words of [one.address, moment(one.since), moment(one.last_used), state]) made.append(make("td", "", words));
  const last = make("td");
  if (!one.here) {
    const out = button("Sign out", () => end(`/account/sessions/${one.id}`));
    out.setAttribute("aria-label", `Sign out ${one.address}, since ${moment(one.since)}`);
    last.append(out);
  }
  made.append(last);
  return made;
}

const asks = inOrder();

async function read() {
  const counts = asks();
  const all = await ask("GET", "/account/sessions");
  if (!counts()) return;
  putRows(at("sessions"), all.map(row));
  at("elsewhere").hidden = all.length < 2;
}

async function end(path) {
  at("sessions-told").textContent = "";
  try {
    await ask("DELETE", path);
  } catch (fault) {
    at("sessions-told").textContent = `Not signed out: ${fault.message}.`;
  }
  await read();
}

async function change(event) {
  event.preventDefault();
  const form = event.target;
  const told = at("password-told");
  told.textContent = "";
  if (at("new").value !== at("again").value) {
    told.textContent = "The two new passwords are not the same.";
    at("again").focus();
    return;
  }
  form.querySelector("button").disabled = true;
  try {
    await ask("POST", "/account/password", { old: at("old").value, new: at("new").value });
    form.reset();
    await whoAmI(); // the new token
    notice("Your password is changed. You are signed out everywhere else.");
    await read();
  } catch (fault) {
    told.textContent = `Not changed: ${fault.message}.`;
  } finally {
    form.querySelector("button").disabled = false;
  }
}

if (await begin()) {
  if (!document.body.dataset.pit) watchOver(); // the pit's page has its own stream
  at("password").addEventListener("submit", change);
  at("elsewhere").addEventListener("click", () => end("/account/sessions"));
  const showFactor = beginSecondFactor(() => Promise.all([read(), showKeys()]));
  const showKeys = beginKeys(() => Promise.all([read(), showFactor()]));
  if (at("token-make")) beginTokens().catch((fault) => (at("token-told").textContent = `Could not load: ${fault.message}.`));
  if (at("people-ask") && may("approve")) beginPeople().catch((fault) => (at("people-told").textContent = `Could not load: ${fault.message}.`));
  read().catch((fault) => (at("sessions-told").textContent = `Could not load: ${fault.message}.`));
}
