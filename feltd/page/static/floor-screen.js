// A screen for players, that nobody touches: it asks for itself, stays awake, and says when it was last true.

import { ask } from "./api.js";
import { at, moment } from "./shell.js";
import { beginUntouched } from "./untouched.js";

const EVERY = 3000;

// Where a tournament's state is asked for: behind the event that is known, the clock alone.
export const ofTournament = (state) => `/tournaments/${document.body.dataset.of}/screen${state ? `?after=${state.seq}` : ""}`;

// At which of the tables cards go to a broadcast. Waiting lists have no tables, and no such line.
function drawBroadcast(tables) {
  if (!at("broadcast")) return;
  at("broadcast").hidden = !tables.length;
  const words = tables.length ? `Cards of rounds that are over go to a broadcast, folded hands too: ${tables.join(", ")}` : "";
  if (at("broadcast").textContent !== words) at("broadcast").textContent = words; // a reader of the screen hears changes alone
}

// Follows what is at `address(state)`: `drawn(state)` where something has happened, `ticked(state, seconds)` all the time with
// the seconds since the clock was told. `mark(state)`: another one says that something has happened, where `changed` is not told.
export async function beginScreen(address, drawn, ticked, mark = (told) => told.seq) {
  let state = null;
  let heard = performance.now();
  let last = null;

  async function look() {
    try {
      const told = await ask("GET", address(state), undefined, true);
      [heard, last] = [performance.now(), new Date()];
      const anew = state === null || (told.changed ?? mark(told) !== mark(state));
      state = anew ? told : { ...state, ...told };
      document.body.classList.remove("lost");
      at("live").textContent = state.title;
      at("sign-in").hidden = true;
      drawBroadcast(state.broadcast || []);
      if (anew) drawn(state);
    } catch (fault) {
      document.body.classList.add("lost");
      const when = last ? `as it was at ${moment(last.getTime() / 1000)}` : "";
      at("live").textContent = [fault.status === 0 ? "no connection" : fault.message, when].filter(Boolean).join(", ");
      at("sign-in").hidden = fault.status !== 401;
    }
    setTimeout(look, EVERY);
  }

  beginUntouched();
  await look();
  setInterval(() => state && ticked(state, (performance.now() - heard) / 1000), 250);
}
