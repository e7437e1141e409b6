// The security keys of a person's own account: registered by password, and taken away.

import { ask, whoAmI } from "./api.js";
import { byId, bytes, hasKeys, proof, text, touched } from "./security-keys.js";
import { at, button, make, moment, notice, putRows } from "./shell.js";

let going = null; // the key that is to be taken away

function row(key) {
  const made = make("tr");
  for (const words of [key.name, moment(key.made), key.copied ? "Copied: not taken any more" : "Taken"]) made.append(make("td", "", words));
  const out = button("Take away", () => begin(key));
  out.setAttribute("aria-label", `Take away ${key.name}`);
  const last = make("td");
  last.append(out);
  made.append(last);
  return made;
}

function begin(key) {
  going = key;
  at("key-remove-name").textContent = key.name;
  at("key-remove").hidden = false;
  at("key-remove-password").focus();
}

// Where keys work, in words.
function where(all) {
  if (all.here && hasKeys()) return "You touch it after your password. Register two, and keep one in a safe place.";
  if (all.here) return "This browser takes no security keys here.";
  if (all.origin) return `Security keys work at ${all.origin} alone: open the page there.`;
  return "Security keys do not work at this page: it has no host name with a certificate that browsers trust. Use an app.";
}

async function show() {
  const [me, all] = await Promise.all([whoAmI(), ask("GET", "/account/keys")]);
  if (!me) return;
  putRows(at("own-keys"), all.keys.map(row));
  at("keys-table").hidden = all.keys.length === 0;
  at("keys-where").textContent = where(all);
  at("key-add").hidden = !all.here || !hasKeys();
  at("key-remove").hidden = true;
  for (const id of ["key-code-box", "key-remove-code-box"]) at(id).hidden = !me.app;
  for (const id of ["key-add", "key-remove"]) at(id).reset();
}

async function register() {
  const me = await whoAmI();
  const proven = { password: at("key-password").value, ...(await proof(me, at("key-code").value)) };
  const wanted = await ask("POST", "/account/keys/wanted", proven);
  const publicKey = {
    challenge: bytes(wanted.challenge),
    rp: { id: wanted.rp_id, name: wanted.rp_id },
    user: { id: bytes(wanted.user), name: wanted.name, displayName: wanted.name },
    pubKeyCredParams: wanted.algorithms.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: wanted.ids.map(byId),
    timeout: wanted.seconds * 1000,
    attestation: "none",
    authenticatorSelection: { residentKey: "discouraged", userVerification: "discouraged" },
  };
  const made = await touched(() => navigator.credentials.create({ publicKey }));
  const { clientDataJSON, attestationObject } = made.response;
  await ask("POST", "/account/keys", { name: at("key-name").value, id: text(made.rawId), client_data: text(clientDataJSON), attestation: text(attestationObject) });
  notice("The security key is registered. You are signed out everywhere else.");
}

async function remove() {
  const me = await whoAmI();
  const code = at("key-remove-code").value;
  await ask("POST", `/account/keys/${going.id}/removal`, { password: at("key-remove-password").value, ...(await proof(me, code)) });
  notice("The security key is taken away. You are signed out everywhere else.");
}

function on(id, asked, changed) {
  at(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    at("keys-told").textContent = "";
    const pressed = event.target.querySelector("button");
    pressed.disabled = true;
    try {
      await asked();
      await Promise.all([show(), changed()]);
    } catch (fault) {
      at("keys-told").textContent = `Not done: ${fault.message}.`;
    } finally {
      pressed.disabled = false;
    }
  });
}

// `changed()`: the places where the person is signed in, and what they sign in by, are others now. Gives what shows the keys anew.
export function beginKeys(changed) {
  on("key-add", register, changed);
  on("key-remove", remove, changed);
  show().catch((fault) => (at("keys-told").textContent = `Could not load: ${fault.message}.`));
  return show;
}
