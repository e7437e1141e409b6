// A form that says what is looked for. The address holds it, so that it can be sent on.

import { at } from "./shell.js";
import { beginTimes, timesAreGood } from "./time-field.js";

// `find` looks, with `true` for what comes after what is shown.
export function beginFilter(find) {
  const filter = at("filter");
  filter.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!timesAreGood()) return;
    const form = new URLSearchParams([...new FormData(filter)].filter(([, value]) => value));
    history.replaceState(null, "", `?${form}`);
    find(false);
  });
  at("more").addEventListener("click", () => find(true));
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = filter.elements.namedItem(name);
    if (field) field.value = value;
  }
  beginTimes();
}
