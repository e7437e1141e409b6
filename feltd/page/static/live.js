// The table's state as it comes, for pages that stay: connects again whatever happens, also when the line falls silent.
// What must not be missed is shown on the way.

import * as alarms from "./alarms.js";
import { loseBand, showBand } from "./band.js";
import { watchSession } from "./shell.js";

const SILENT_AFTER = 20000; // a living table says something each second
const AGAIN_AFTER = 2000;

// `drawn(state)` for each state, `lost()` when it cannot be had. Gives a function: the table second it is now.
// `rests`: no line is kept while nobody sees the page: a browser has few of them for one table.
export function follow(first, drawn, lost, rests = false) {
  let state = first;
  let heard = performance.now();
  let source = null;
  let silence = null;
  const tableTime = () => state.t + (performance.now() - heard) / 1000;

  function connect() {
    source = new EventSource("/api/v1/stream");
    watch();
    source.addEventListener("state", (event) => {
      state = JSON.parse(event.data);
      heard = performance.now();
      watch();
      alarms.live();
      alarms.show(state, tableTime);
      showBand(state);
      drawn(state);
    });
    source.addEventListener("error", () => {
      cut();
      if (source.readyState !== EventSource.CLOSED) return;
      watchSession(); // its end ends the stream, too
      again();
    });
  }

  function cut() {
    alarms.lost();
    loseBand();
    lost();
  }

  function watch() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      cut();
      again();
    }, SILENT_AFTER);
  }

  function again() {
    stop();
    silence = setTimeout(connect, AGAIN_AFTER);
  }

  function stop() {
    clearTimeout(silence);
    source?.close();
  }

  function rest() {
    stop();
    if (!document.hidden) connect();
  }

  if (first && first.alarms) alarms.show(first, tableTime);
  if (!rests || !document.hidden) connect();
  if (rests) document.addEventListener("visibilitychange", rest);
  return tableTime;
}

// For pages of what was: only what must not be missed is live on them.
export function watchOver() {
  document.body.classList.add("past");
  follow(null, () => null, () => null, true);
}
