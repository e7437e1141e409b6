// What devices told that the table did not take: a phone on the felt, a card of another pack. The newest stand first.

import { at, make, redraw, timeWithOffset } from "./shell.js";

const LATEST = 5;
const SECONDS = 3600; // such a report has no end that anybody tells
let drawn = "";

export function drawReports(state) {
  const told = state.faults.filter((fault) => state.wall - fault.wall < SECONDS).slice(0, LATEST);
  const now = JSON.stringify(told);
  if (now === drawn) return;
  drawn = now;
  at("reports-section").hidden = !told.length;
  redraw(at("reports"), told.map((fault) => make("li", "", `${timeWithOffset(fault.wall)} · ${fault.text}`)));
}
