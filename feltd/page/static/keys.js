// Short keys: they lead to what a person works with and decide nothing, so a slip of the hand does no harm. Loaded with
// the first one.

import { at, button, make } from "./shell.js";

const KEPT = "feltd keys";

// The first of these that can be seen and pressed is focused.
const to = (...chosen) => () => {
  const found = chosen.flatMap((one) => [...document.querySelectorAll(one)]).find((one) => one.checkVisibility() && !one.disabled);
  found?.focus();
  found?.scrollIntoView({ block: "nearest" });
};
const press = (id) => () => at(id)?.checkVisibility() && at(id).click();

const KEYS = [
  ["a", "To the alarms", to("#alarms-section button", "#alarms-section a")],
  ["r", "To the ruling that waits, else to the latest", to("#rulings .waits button", "#rulings .waits summary", "#rulings summary", "#rulings")],
  ["f", "To the floor decisions", to("#acts button")],
  ["e", "To the seats", to("#seats button", "#felt")],
  ["s", "Sound on or off", press("sound")],
  ["n", "Replay: one step on", press("on")],
  ["p", "Replay: one step back", press("back")],
];

function pages() {
  return [...document.querySelectorAll("nav a")].map((link, index) => [String(index + 1), link.textContent, () => link.click()]);
}

const kept = () => {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true; // a browser that keeps nothing
  }
};

function keep(on) {
  try {
    if (on) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, "off");
  } catch {} // as above
}

export function pressed(key) {
  if (!kept()) return;
  if (key === "?") return showKeys();
  [...KEYS, ...pages()].find(([one]) => one === key.toLowerCase())?.[2]();
}

export function showKeys() {
  const dialog = make("dialog");
  dialog.setAttribute("aria-labelledby", "keys-title");
  const title = make("h2", "", "Keys");
  title.id = "keys-title";
  const table = make("table", "keys");
  const rows = make("tbody");
  for (const [key, words] of [["?", "These keys"], ...pages().map(([key, words]) => [key, `Page: ${words}`]), ...KEYS]) {
    const row = make("tr");
    const head = make("th");
    head.scope = "row";
    head.append(make("kbd", "", key));
    row.append(head, make("td", "", words));
    rows.append(row);
  }
  table.append(rows);
  const on = button("Keys are on", () => {
    keep(!kept());
    say();
  });
  const say = () => on.setAttribute("aria-pressed", String(kept()));
  say();
  const tools = make("p", "tools");
  tools.append(on, button("Close", () => dialog.close()));
  dialog.append(title, make("p", "quiet", "No key decides: it leads to the button, and Enter presses it. Tab goes on, Escape closes."), table, tools);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
