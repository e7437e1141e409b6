// A screen that nobody touches: it finds its way back by itself, and says when what it shows was true.

import { whoAmI } from "./api.js";
import { follow } from "./live.js";
import { at, moment } from "./shell.js";
import { beginUntouched } from "./untouched.js";

// Follows the table from `first` on. `drawn(state)` for each state; `lost(words)` when there is no line, with when it
// was last heard. Gives a function: the table second it is now.
export function beginScreen(first, drawn, lost) {
  const { came, cut } = screenOf(() => first.name, lost);
  const told = (now) => {
    first = now;
    came();
    drawn(now);
  };
  return follow(first, told, cut);
}

// What a screen does as news come (`came`) and as its line is lost (`cut`). `name()`: whose screen it is.
export function screenOf(name, lost) {
  let last = Date.now() / 1000;
  let drawings = 0;

  async function cut() {
    document.body.classList.add("lost");
    const before = drawings;
    const when = `as it was at ${moment(last)}`;
    lost(`no connection, ${when}`);
    const me = await whoAmI(true).catch(() => undefined); // undefined: not to be reached
    if (drawings !== before) return; // it is back already: this would cover the name until the next state
    at("live").textContent = me === null ? `signed out, ${when}` : `no connection, ${when}`;
    at("sign-in").hidden = me !== null;
  }

  function came() {
    last = Date.now() / 1000;
    drawings += 1;
    document.body.classList.remove("lost");
    at("live").textContent = name();
    at("sign-in").hidden = true;
  }

  beginUntouched();
  return { came, cut };
}
