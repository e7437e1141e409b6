// What each screen on a wall does: nothing to press but its size, and it stays awake. The button and the pointer go when nobody moves.

import { at } from "./shell.js";

const QUIET_AFTER = 4000;

let quiet = null;

function moved() {
  document.body.classList.remove("untouched");
  clearTimeout(quiet);
  quiet = setTimeout(() => document.body.classList.add("untouched"), QUIET_AFTER);
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => null);
}

// The screen stays on, where the browser can see to that.
async function stayAwake() {
  if (document.visibilityState === "visible" && navigator.wakeLock) await navigator.wakeLock.request("screen").catch(() => null);
}

export function beginUntouched() {
  at("full-screen").addEventListener("click", fullScreen);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "f" && !event.ctrlKey && !event.metaKey && !event.altKey) fullScreen();
  });
  for (const name of ["pointermove", "pointerdown", "keydown"]) document.addEventListener(name, moved);
  document.addEventListener("visibilitychange", stayAwake);
  moved();
  stayAwake();
}
