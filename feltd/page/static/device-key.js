// The dialog of another key for a device: a second person is asked, then the key is made and shown once.

import { ask } from "./api.js";
import { not, sendAbout, wantedFor } from "./late.js";
import { at } from "./shell.js";
import { ownStep } from "./together.js";

let keyFor = null; // the device that the dialog was opened for last
let looked = null; // has the page ask for its devices again

export function openKey(device) {
  wantedFor(at("key-dialog"));
  keyFor = device;
  at("key-title").textContent = `Another key for ${device.name}`;
  at("key-given").value = "";
  at("key-refusal").textContent = "";
  at("key-about").hidden = false;
  at("key-made").hidden = true;
  at("key-back").hidden = !device.key.old_kept;
  showStep();
  if (!at("key-dialog").open) at("key-dialog").showModal();
}

// Which part of the dialog is due: to ask a second person, to wait for them, or to do it.
function showStep() {
  const state = ownStep(keyFor.name)?.state;
  at("key-ask").hidden = state !== undefined;
  at("key-waits").hidden = state !== "waiting";
  at("key-form").hidden = state !== "approved";
}

async function askSecond(event) {
  event.preventDefault();
  const wanted = { device: keyFor.name, reason: at("key-reason").value.trim() };
  const asked = await sendKey([at("key-ask-do")], "asked", () => ask("POST", "/together", wanted));
  if (!asked?.here) return;
  at("key-ask").reset();
  at("key-ask").hidden = true;
  at("key-waits").hidden = false;
}

// A step of the dialog about a device's key, with what it is not when it is refused.
async function sendKey(pressed, what, doing) {
  at("key-refusal").textContent = "";
  const done = await sendAbout(at("key-dialog"), pressed, doing, not(what), (words) => (at("key-refusal").textContent = words));
  looked(); // whatever comes of it, a key that was made is shown
  return done;
}

// It is shown once: to somebody who has left the dialog, too, and never beneath another device's name.
function showKey(device, key) {
  if (keyFor !== device || !at("key-dialog").open) openKey(device);
  at("key-ask").hidden = true;
  at("key-form").hidden = true;
  at("key-about").hidden = true;
  at("key-made").hidden = false;
  at("key-shown").textContent = key;
  at("key-shown").focus();
}

async function giveKey(event) {
  event.preventDefault();
  const given = at("key-given").value.trim();
  const device = keyFor;
  at("key-given").value = "";
  const made = await sendKey([at("key-do")], "changed", () => ask("POST", `/devices/${device.name}/key`, { given: given || null }));
  if (made?.told?.key) showKey(device, made.told.key);
  else if (made?.here) at("key-dialog").close();
}

async function keyBack() {
  const { name } = keyFor;
  const done = await sendKey([], "taken back", () => ask("DELETE", `/devices/${name}/key`));
  if (done?.here) at("key-dialog").close();
}

// The steps that wait for a second person have changed.
export function stepsChanged() {
  if (at("key-dialog").open && at("key-made").hidden && ownStep(keyFor.name)) showStep();
}

export function beginKeys(look) {
  looked = look;
  at("key-ask").addEventListener("submit", askSecond);
  at("key-form").addEventListener("submit", giveKey);
  at("key-back").addEventListener("click", keyBack);
  at("key-leave").addEventListener("click", () => at("key-dialog").close());
  at("key-dialog").addEventListener("close", () => (at("key-shown").textContent = ""));
}
