// A screen that nobody touches: nothing to press but its size, awake, and it finds its way back by itself.

import { whoAmI } from "./api.js";
import { follow } from "./live.js";
import { at, moment } from "./shell.js";

const QUIET_AFTER = 4000; // the button goes when nobody moves

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => null);
}

// ---- the button and the pointer go when nobody moves

let quiet = null;

function moved() {
  document.body.classList.remove("untouched");
  clearTimeout(quiet);
  quiet = setTimeout(() => document.body.classList.add("untouched"), QUIET_AFTER);
}

// The screen stays on, where the browser can see to that.
async function stayAwake() {
  if (document.visibilityState === "visible" && navigator.wakeLock) await navigator.wakeLock.request("screen").catch(() => null);
}

// Follows the table from `first` on. `drawn(state)` for each state; `lost(words)` when there is no line, with when it
// was last heard. Gives a function: the table second it is now.
export function beginScreen(first, drawn, lost) {
  let last = Date.now() / 1000;
  let drawings = 0;

  async function cut() {
    document.body.classList.add("lost");
    const before = drawings;
    const when = `as it was at ${moment(last)}`;
    lost(`no connection, ${when}`);
    const me = await whoAmI(true).catch(() => undefined); // undefined: not to be reached
    if (drawings !== before) return; // the table is back already: this would cover its name until its next state
    at("live").textContent = me === null ? `signed out, ${when}` : `no connection, ${when}`;
    at("sign-in").hidden = me !== null;
  }

  at("full-screen").addEventListener("click", fullScreen);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "f" && !event.ctrlKey && !event.metaKey && !event.altKey) fullScreen();
  });
  for (const name of ["pointermove", "pointerdown", "keydown"]) document.addEventListener(name, moved);
  document.addEventListener("visibilitychange", stayAwake);
  moved();
  stayAwake();
  return follow(
    first,
    (now) => {
      last = Date.now() / 1000;
      drawings += 1;
      document.body.classList.remove("lost");
      at("live").textContent = now.name;
      drawn(now);
    },
    cut
  );
}
