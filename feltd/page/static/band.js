// The status band: NORMAL, DECIDE or STOPPED as the table or the pit says it, with the cause. Without a line it says so instead.

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

export const showLevel = ({ level, words }) => show(level, level.toUpperCase(), words);

export function showBand(state) {
  if (at("testing")) at("testing").hidden = !state.testing;
  if (at("broadcast")) at("broadcast").hidden = !(state.broadcast && state.broadcast.on);
  if (at("upgrade")) {
    at("upgrade").hidden = !state.upgrade;
    if (at("upgrade").textContent !== (state.upgrade ?? "")) at("upgrade").textContent = state.upgrade ?? ""; // a reader of the screen hears changes alone
  }
  showLevel(state.band);
}

const lose = (words) => show("unknown", "NOT LIVE", words);

export const loseBand = () => lose("This page does not know the table's state: follow the table's own display and lamps");
export const loseBandOfPit = () => lose("This page does not know the tables' state: follow each table's own display and lamps");
