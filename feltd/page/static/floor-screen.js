// A tournament's screen for players, that nobody touches: it asks for itself, stays awake, and says when it was last true.

import { ask } from "./api.js";
import { at, moment } from "./shell.js";
import { beginUntouched } from "./untouched.js";

const EVERY = 3000;
const id = document.body.dataset.tournament;

// Follows the tournament: `drawn(state)` where something has happened, `ticked(state, seconds)` all the time with the
// seconds since the clock was told.
export async function beginScreen(drawn, ticked) {
  let state = null;
  let heard = performance.now();
  let last = null;

  async function look() {
    try {
      const told = await ask("GET", `/tournaments/${id}/screen${state ? `?after=${state.seq}` : ""}`, undefined, true);
      [heard, last] = [performance.now(), new Date()];
      const anew = told.changed || state === null;
      state = anew ? told : { ...state, t: told.t, clock: told.clock };
      document.body.classList.remove("lost");
      at("live").textContent = state.title;
      at("sign-in").hidden = true;
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
