// Answers that come late: one that another has overtaken, and one to a person who has gone on meanwhile. Neither undoes
// what is seen or done by now.

import { whoAmI } from "./api.js";
import { at, notice } from "./shell.js";

// Words for a fault of what was asked: "Not changed: …".
export const not = (what) => (fault) => `Not ${what}: ${fault.message}.`;

// For questions that are asked again and again. Each call is a question; what it gives says, once its answer is there,
// whether no later question was answered before it.
export function inOrder() {
  let asked = 0;
  let answered = 0;
  return () => {
    const mine = (asked += 1);
    return () => mine >= answered && ((answered = mine), true);
  };
}

// For what a person asks or begins: it counts until they ask or begin something else.
export function lastOnly() {
  let last = 0;
  return () => {
    const mine = (last += 1);
    return () => mine === last;
  };
}

// ---- dialogs, which are opened for one matter after another

const matters = new WeakMap(); // by dialog: what it is opened for, with the buttons that wait for an answer

// A dialog is wanted for another matter. Call it as soon as somebody has pressed: what it gives says, behind an answer that
// the dialog needs first, whether it is wanted for this matter still.
export function wantedFor(dialog) {
  for (const one of matters.get(dialog)?.pressed ?? []) one.disabled = false;
  const matter = { pressed: [] };
  matters.set(dialog, matter);
  return () => matters.get(dialog) === matter;
}

// Opens a dialog whose fields depend on who is signed in, by `open(me)`, unless another matter was pressed meanwhile.
export async function openKnowing(dialog, open) {
  const wanted = wantedFor(dialog);
  try {
    const me = await whoAmI();
    if (wanted()) open(me);
  } catch (fault) {
    notice(`Not done: ${fault.message}.`);
  }
}

// Sends what a dialog is about, by `send`. Where it was not done, `show(words, fault)` shows why, in the words of
// `inWords(fault)`. Where somebody has left the dialog, or has opened it for another matter, a notice has its title and these
// words. Gives `{ told, here }`: the answer, and whether the dialog is there for it still; null for a refusal.
export async function sendAbout(dialog, pressed, send, inWords, show) {
  const title = at(dialog.getAttribute("aria-labelledby")).textContent;
  const matter = matters.get(dialog);
  const here = () => dialog.open && matters.get(dialog) === matter;
  matter.pressed = pressed;
  for (const one of pressed) one.disabled = true;
  try {
    const told = await send();
    return { told, here: here() };
  } catch (fault) {
    const words = inWords(fault);
    if (here()) show(words, fault);
    else notice(`${title}. ${words}`);
    return null;
  } finally {
    for (const one of matter.pressed) if (matters.get(dialog) === matter) one.disabled = false;
  }
}

// The same, and closes the dialog where it is there still.
export async function sendFrom(dialog, ...how) {
  const done = await sendAbout(dialog, ...how);
  if (done?.here) dialog.close();
  return done;
}
