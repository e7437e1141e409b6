"use strict";
// Asks the API. What goes wrong comes as an Error with the words for people, and `status`.

const API = "/api/v1";
let csrf = null;

async function ask(method, path, body) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET" && csrf) headers["x-csrf-token"] = csrf;
  let answer;
  try {
    answer = await fetch(API + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw Object.assign(new Error("The table does not answer: is the network there?"), { status: 0 });
  }
  const said = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.ok) return said;
  throw Object.assign(new Error((said && said.detail) || `The table answers ${answer.status}.`), { status: answer.status });
}

async function whoAmI() {
  const me = await ask("GET", "/session");
  csrf = me.csrf;
  return me;
}
