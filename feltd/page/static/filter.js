// A form that says what is looked for. The address holds it, so that it can be sent on.

import { lastOnly } from "./late.js";
import { at } from "./shell.js";
import { beginTimes, timesAreGood } from "./time-field.js";

// `find(more, counts)` looks, with `true` for what comes after what is shown. It shows nothing where `counts()` is false: something
// else is looked for by then. Gives what has it look.
export function beginFilter(find) {
  const asks = lastOnly();

  async function look(more) {
    const counts = asks();
    at("more").disabled = true; // what comes after is known when this is there
    await find(more, counts);
    if (counts()) at("more").disabled = false;
  }

  const filter = at("filter");
  filter.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!timesAreGood()) return;
    const form = new URLSearchParams([...new FormData(filter)].filter(([, value]) => value));
    history.replaceState(null, "", `?${form}`);
    look(false);
  });
  at("more").addEventListener("click", () => look(true));
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = filter.elements.namedItem(name);
    if (field) field.value = value;
  }
  beginTimes();
  return look;
}
