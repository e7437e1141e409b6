// The wall view of the pit: the band, its cause and the dealer's next step, to be read from four metres.

import { beginScreen } from "./screen.js";
import { at } from "./shell.js";

const LEVELS = { normal: "NORMAL", decide: "DECIDE", stopped: "STOPPED", unknown: "NOT LIVE" };
const SMALLEST = 0.4; // of the letters' full size

// Letters become smaller until every word is in sight: a remedy that is cut off is none.
function fit() {
  const pit = at("pit");
  const room = pit.getBoundingClientRect();
  const within = (one) => {
    const box = one.getBoundingClientRect();
    return box.top >= room.top - 1 && box.bottom <= room.bottom + 1 && one.scrollWidth <= one.clientWidth + 1;
  };
  for (let part = 1; part >= SMALLEST; part -= 0.04) {
    pit.style.setProperty("--part", part.toFixed(2));
    if ([...pit.children].every(within)) return;
  }
}

let told = "";

function show(level, words, prompt) {
  at("pit").className = level;
  for (const [id, text] of [["level", LEVELS[level]], ["words", words], ["prompt", prompt]]) {
    if (at(id).textContent !== text) at(id).textContent = text;
  }
  const now = `${level} ${at("pit").textContent}`;
  if (now !== told) fit();
  told = now;
}

// The causes stand above: the remedy does not say the first of them again.
function remedyIn(prompt, words) {
  if (prompt === words) return "";
  const said = [words, words.split("; ")[0]].find((cause) => cause && prompt.startsWith(`${cause}. `));
  return said ? prompt.slice(said.length + 2) : prompt;
}

function draw(state) {
  const { level, words } = state.band;
  const players = (state.table.seats || []).filter((seat) => seat.state !== "leaving").length;
  at("here").textContent = `${state.rulebook ? state.rulebook.title : "No game"} · round ${state.table.round} · ${players} players`;
  show(level, words, remedyIn(state.prompt, words));
}

const first = JSON.parse(at("state").textContent);
draw(first);
new ResizeObserver(fit).observe(at("pit"));
beginScreen(first, draw, (when) => show("unknown", when, ""));
