// What the floor has of one kind, asked for again and again, with the books for another one; and another one begun.

import { ask } from "./api.js";
import { refusalInWords } from "./floor-words.js";
import { inOrder } from "./late.js";
import { at, redraw, watchSession } from "./shell.js";

const EVERY = 5000;
const asks = inOrder();
let drawn = "";

async function look(kind, tile, byItself) {
  const counts = asks();
  try {
    const told = await ask("GET", `/${kind.address}`, undefined, byItself);
    if (!counts()) return;
    const text = JSON.stringify(told);
    at("live").textContent = "live";
    document.body.classList.remove("lost");
    if (text === drawn) return;
    drawn = text;
    redraw(at(kind.name), told[kind.name].map(tile));
    at(`no-${kind.name}`).hidden = told[kind.name].length > 0;
    const book = at("open-book").value;
    at("open-book").replaceChildren(...Object.entries(told.books).map(([id, title]) => Object.assign(document.createElement("option"), { textContent: title, value: id })));
    if (book) at("open-book").value = book;
  } catch (fault) {
    if (!counts()) return;
    document.body.classList.add("lost");
    at("live").textContent = "no connection";
    if (fault.status === 401) watchSession();
  }
}

// `kind`: its `address` below the API, and the `name` of its list in what is told and on the page. `tile(one)` draws one.
export async function beginList(kind, tile) {
  await look(kind, tile, false);
  setInterval(() => look(kind, tile, true), EVERY);
}

// Begins another one, as `said(fields)` says it, and goes to `next` at its address. `address` is below the API and the page.
export function beginOpening(address, said, next = "") {
  at("open").addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = event.target.elements;
    const asked = { id: fields.id.value, book: fields.book.value, why: fields.why.value.trim(), ...said(fields) };
    at("open-refusal").textContent = "";
    try {
      await ask("POST", `/${address}`, asked);
      location.assign(`/${address}/${fields.id.value}${next}`);
    } catch (fault) {
      at("open-refusal").textContent = `Not done: ${refusalInWords(fault)}`;
    }
  });
}
