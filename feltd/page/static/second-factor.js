// The second factor of a person's own account: set up by an app's first code, and taken away.

import { ask, whoAmI } from "./api.js";
import { proof } from "./security-keys.js";
import { at, notice } from "./shell.js";

const WORDS = {
  none: "You sign in by your password alone.",
  needed: "Your role may do nothing here without a second factor. Set one up.",
  set: "You sign in by your password and a code.",
  key: "You sign in by your password and a security key.",
};

let me = null;

async function show() {
  me = await whoAmI();
  if (!me) return;
  at("second-state").textContent = WORDS[me.second_factor === "set" && !me.app ? "key" : me.second_factor];
  at("second-begin").hidden = me.app;
  at("second-remove").hidden = !me.app;
  at("second-take").hidden = true;
  for (const id of ["second-begin", "second-take", "second-remove"]) at(id).reset();
}

// Sends a form; `asked()` gives what comes after it.
function on(id, asked) {
  at(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    at("second-told").textContent = "";
    event.target.querySelector("button").disabled = true;
    try {
      await asked();
    } catch (fault) {
      at("second-told").textContent = `Not done: ${fault.message}.`;
    } finally {
      event.target.querySelector("button").disabled = false;
    }
  });
}

// `changed()`: the places where the person is signed in are others now. Gives what shows the second factor anew.
export function beginSecondFactor(changed) {
  on("second-begin", async () => {
    const made = await ask("POST", "/account/second-factor", { password: at("second-password").value, ...(await proof(me, "")) });
    at("second-secret").textContent = made.secret.match(/.{4}/g).join(" ");
    at("second-uri").href = made.uri;
    at("second-begin").hidden = true;
    at("second-take").hidden = false;
    at("second-code").focus();
  });
  on("second-take", async () => {
    await ask("PUT", "/account/second-factor", { code: at("second-code").value });
    at("second-secret").textContent = "";
    notice("Your second factor is set up. You are signed out everywhere else.");
    await Promise.all([show(), changed()]);
  });
  on("second-remove", async () => {
    await ask("POST", "/account/second-factor/removal", { password: at("remove-password").value, ...(await proof(me, at("remove-code").value)) });
    notice("Your second factor is taken away. You are signed out everywhere else.");
    await Promise.all([show(), changed()]);
  });
  show().catch((fault) => (at("second-told").textContent = `Could not load: ${fault.message}.`));
  return show;
}
