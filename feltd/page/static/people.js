// Everybody's accounts, for who may approve: who there is, and asking a second person for a change.

import { ask } from "./api.js";
import { at, make, moment, notice, putRows } from "./shell.js";

export const ROLES = { observer: "Observer", supervisor: "Supervisor", director: "Director", surveillance: "Surveillance", technician: "Technician" };

function state(account) {
  if (!account.enabled) return "shut";
  if (account.code_until !== null) return `waits for its person's password until ${moment(account.code_until)}`;
  return account.second_factor ? "open, with a second factor" : "open";
}

function row(account) {
  const made = make("tr");
  for (const words of [account.name, ROLES[account.role] || account.role, account.badge || "–", state(account)]) made.append(make("td", "", words));
  return made;
}

async function read() {
  putRows(at("people"), (await ask("GET", "/accounts")).map(row));
}

const isNew = () => at("people-act").value === "make";

async function askFor(event) {
  event.preventDefault();
  const form = event.target;
  at("people-told").textContent = "";
  at("people-half-box").hidden = true;
  form.querySelector("button").disabled = true;
  const wanted = { act: at("people-act").value, name: at("people-name").value, reason: at("people-reason").value };
  if (isNew()) Object.assign(wanted, { role: at("people-role").value, badge: at("people-badge").value.trim() || null });
  try {
    const step = await ask("POST", "/accounts", wanted);
    form.reset();
    at("people-new").hidden = !isNew();
    at("people-half").textContent = step.half ?? "";
    at("people-half-box").hidden = step.half === null;
    notice("A second person has 15 minutes to approve it, on the page of the table.");
  } catch (fault) {
    at("people-told").textContent = `Not asked: ${fault.message}.`;
  } finally {
    form.querySelector("button").disabled = false;
  }
}

export async function beginPeople() {
  at("people-section").hidden = false;
  at("people-ask").addEventListener("submit", askFor);
  at("people-act").addEventListener("change", () => (at("people-new").hidden = !isNew()));
  await read();
}
