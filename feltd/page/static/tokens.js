// Tokens for programs on a person's own account: made for their password, shown once, revoked.

import { ask, whoAmI } from "./api.js";
import { inOrder } from "./late.js";
import { proof } from "./security-keys.js";
import { at, button, make, moment, notice, putRows } from "./shell.js";

const RIGHTS = {
  see: "See the table",
  see_cards: "See cards of rounds that are over",
  ask: "Ask for a badge",
  decide: "Decide rulings",
  seat: "Seat players, change stacks",
  tournament: "Lead the tournament",
  export: "Take parts of the record away",
  devices: "Test devices, change their keys",
};

let role = "";

function row(token) {
  const made = make("tr");
  const end = token.over ? "Ended" : moment(token.until);
  const scope = token.scope.map((right) => RIGHTS[right] || right).join(", ");
  for (const words of [token.words, scope, end]) made.append(make("td", "", words));
  const out = button("Revoke", () => revoke(token.id));
  out.setAttribute("aria-label", `Revoke ${token.words}`);
  const last = make("td");
  last.append(out);
  made.append(last);
  return made;
}

const asks = inOrder();

async function read() {
  const counts = asks();
  const all = await ask("GET", "/account/tokens");
  if (!counts()) return;
  putRows(at("tokens"), all.map(row));
  at("tokens-table").hidden = all.length === 0;
}

async function revoke(id) {
  at("token-told").textContent = "";
  try {
    await ask("DELETE", `/account/tokens/${id}`);
  } catch (fault) {
    at("token-told").textContent = `Not revoked: ${fault.message}.`;
  }
  await read();
}

function choice(right) {
  const label = make("label", "", RIGHTS[right]);
  const box = make("input");
  box.type = "checkbox";
  box.value = right;
  box.checked = right === "see";
  label.prepend(box, " ");
  return label;
}

async function makeToken(event) {
  event.preventDefault();
  const form = event.target;
  at("token-told").textContent = "";
  at("token-made").hidden = true;
  form.querySelector("button").disabled = true;
  const scope = [...at("token-scope").querySelectorAll("input:checked")].map((box) => box.value);
  const asked = { password: at("token-password").value, words: at("token-words").value, role, scope, days: Number(at("token-days").value) };
  try {
    const made = await ask("POST", "/account/tokens", { ...asked, ...(await proof(await whoAmI(), at("token-code").value)) });
    form.reset();
    at("token-text").textContent = made.token;
    at("token-made").hidden = false;
    notice("The token is made. Copy it now.");
    await read();
  } catch (fault) {
    at("token-told").textContent = `Not made: ${fault.message}.`;
  } finally {
    form.querySelector("button").disabled = false;
  }
}

export async function beginTokens() {
  const me = await whoAmI();
  if (!me) return;
  role = me.role;
  const mine = Object.keys(RIGHTS).filter((right) => me.rights.includes(right));
  at("token-scope").append(...mine.map(choice));
  at("token-make").hidden = !me.rights.includes("tokens");
  at("token-code-box").hidden = !me.app;
  at("token-make").addEventListener("submit", makeToken);
  await read();
}
