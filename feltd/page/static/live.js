// The table's state as it comes, for pages that stay. What must not be missed is shown on the way.

import * as alarms from "./alarms.js";
import { loseBand, showBand } from "./band.js";
import { keepLine, keepLineWhileSeen } from "./stream.js";

// `drawn(state)` for each state, `lost()` when it cannot be had. Gives a function: the table second it is now.
export const follow = (first, drawn, lost) => following(first, drawn, lost, (told, cut) => keepLine("state", told, cut));

function following(first, drawn, lost, keep) {
  let state = first;
  let heard = performance.now();
  const tableTime = () => state.t + (performance.now() - heard) / 1000;

  function told(news) {
    [state, heard] = [news, performance.now()];
    alarms.live();
    alarms.show(state, tableTime);
    showBand(state);
    drawn(state);
  }

  function cut() {
    alarms.lost();
    loseBand();
    lost();
  }

  if (first && first.alarms) alarms.show(first, tableTime);
  keep(told, cut);
  return tableTime;
}

// For pages of what was: only what must not be missed is live on them.
export function watchOver() {
  document.body.classList.add("past");
  following(null, () => null, () => null, (told, cut) => keepLineWhileSeen({ name: "state", path: "/state" }, told, cut, alarms.sounds));
}
