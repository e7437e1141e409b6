// The wall view of the pit: the band, its cause and the dealer's next step, to be read from four metres.

import { beginScreen } from "./screen.js";
import { at } from "./shell.js";

const LEVELS = { normal: "NORMAL", decide: "DECIDE", stopped: "STOPPED", unknown: "NOT LIVE" };

function show(level, words, prompt) {
  at("pit").className = level;
  for (const [id, text] of [["level", LEVELS[level]], ["words", words], ["prompt", prompt]]) {
    if (at(id).textContent !== text) at(id).textContent = text;
  }
}

function draw(state) {
  const { level, words } = state.band;
  const remedy = state.prompt.startsWith(`${words}. `) ? state.prompt.slice(words.length + 2) : state.prompt;
  show(level, words, remedy === words ? "" : remedy);
  const players = (state.table.seats || []).filter((seat) => seat.state !== "leaving").length;
  at("here").textContent = `${state.rulebook ? state.rulebook.title : "No game"} · round ${state.table.round} · ${players} players`;
}

const first = JSON.parse(at("state").textContent);
draw(first);
beginScreen(first, draw, (when) => show("unknown", when, ""));
