// The status band: NORMAL, DECIDE or STOPPED as the table says it, with the cause. Without a line it says so instead.

import { at, pressing } from "./shell.js";

let due = null;
let latest = null;

// Its height may change: nothing moves under a finger or a pointer that is down.
function show(...band) {
  latest = band;
  if (pressing()) due ??= setTimeout(() => ((due = null), show(...latest)), 50);
  else draw(...latest);
}

function draw(level, word, words) {
  if (!at("band")) return;
  at("band").className = `band ${level}`;
  for (const [id, text] of [["band-level", word], ["band-words", words]]) {
    if (at(id).textContent !== text) at(id).textContent = text; // a reader of the screen hears changes alone
  }
}

export function showBand(state) {
  if (at("testing")) at("testing").hidden = !state.testing;
  if (at("broadcast")) at("broadcast").hidden = !(state.broadcast && state.broadcast.on);
  show(state.band.level, state.band.level.toUpperCase(), state.band.words);
}

export const loseBand = () => show("unknown", "NOT LIVE", "This page does not know the table's state: follow the table's own display and lamps");
