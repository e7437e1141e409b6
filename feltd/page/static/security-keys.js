// Security keys (WebAuthn): what the table asks is signed by a key that somebody touches. Loaded by who signs in or proves
// who they are; the list of one's own keys is in own-keys.js.

import { ask } from "./api.js";

export const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
export const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// Whether this browser has keys at all: only where it trusts the connection.
export const hasKeys = () => Boolean(window.PublicKeyCredential && navigator.credentials);

export const byId = (id) => ({ type: "public-key", id: bytes(id) });

// A browser says no more than that it was not done: it was taken back, took too long, or the key is another.
export async function touched(asked) {
  if (!hasKeys()) throw new Error("this browser takes no security keys here");
  try {
    return await asked();
  } catch (fault) {
    if (fault.name === "InvalidStateError") throw new Error("this security key is there already");
    throw new Error("no security key was touched in time, or it is not the right one");
  }
}

// Has one of the keys sign the question of the table; gives what the API takes as `key`.
export async function signed(question) {
  const publicKey = {
    challenge: bytes(question.challenge),
    rpId: question.rp_id,
    allowCredentials: question.ids.map(byId),
    timeout: question.seconds * 1000,
    userVerification: "discouraged", // the password is asked too
  };
  const made = await touched(() => navigator.credentials.get({ publicKey }));
  const { clientDataJSON, authenticatorData, signature } = made.response;
  return { id: text(made.rawId), client_data: text(clientDataJSON), authenticator_data: text(authenticatorData), signature: text(signature) };
}

// Signs in. Where only a security key would do, the person touches it; with `noCode` also where a code would do too.
export async function signIn(credentials, noCode = false) {
  try {
    return await ask("POST", "/session", credentials);
  } catch (fault) {
    if (!fault.key || !hasKeys() || (fault.factor !== "key" && !noCode)) throw fault;
    const key = await signed(fault.key).catch((other) => {
      throw Object.assign(other, { factor: fault.factor, key: fault.key }); // it may be touched once more
    });
    return ask("POST", "/session", { ...credentials, key });
  }
}

// What proves a second factor of who is signed in: the code that was typed, else a key that is touched.
export async function proof(me, code) {
  if (me?.second_factor !== "set") return {};
  if (code) return { code };
  return { key: await signed(await ask("POST", "/account/keys/question")) };
}
