// The waiting lists of every card room, and new ones.

import { ask } from "./api.js";
import { refusalInWords } from "./floor-words.js";
import { inOrder } from "./late.js";
import { at, begin, make, may, redraw, watchSession } from "./shell.js";

const EVERY = 5000;

function tile(one) {
  const item = make("li", one.wrong ? "grave" : "");
  item.dataset.item = one.id;
  const title = make("h3");
  title.append(Object.assign(make("a", "", one.title || one.id), { href: may("seat") ? `/waiting/${one.id}` : `/waiting/${one.id}/screen` }));
  if (one.closed) title.append(make("small", "", "closed"));
  const list = make("dl");
  for (const [term, words] of [["Games", one.games], ["Wait", one.waiting], ["Called", one.called], ["Rules", one.book]]) list.append(make("dt", "", term), make("dd", "", words));
  item.append(title, list);
  if (one.wrong) item.append(make("p", "bad", one.wrong));
  const screens = make("p", "tools");
  screens.append(Object.assign(make("a", "button", "Screen for players"), { href: `/waiting/${one.id}/screen` }));
  item.append(screens);
  return item;
}

let drawn = "";
const asks = inOrder();

async function look(byItself) {
  const counts = asks();
  try {
    const told = await ask("GET", "/waiting", undefined, byItself);
    if (!counts()) return;
    const text = JSON.stringify(told);
    at("live").textContent = "live";
    document.body.classList.remove("lost");
    if (text === drawn) return;
    drawn = text;
    redraw(at("rooms"), told.rooms.map(tile));
    at("no-rooms").hidden = told.rooms.length > 0;
    const book = at("open-book").value;
    at("open-book").replaceChildren(...Object.entries(told.books).map(([id, title]) => Object.assign(make("option", "", title), { value: id })));
    if (book) at("open-book").value = book;
  } catch (fault) {
    if (!counts()) return;
    document.body.classList.add("lost");
    at("live").textContent = "no connection";
    if (fault.status === 401) watchSession();
  }
}

async function open(event) {
  event.preventDefault();
  const fields = event.target.elements;
  at("open-refusal").textContent = "";
  try {
    await ask("POST", "/waiting", { id: fields.id.value, title: fields.title.value.trim(), book: fields.book.value, why: fields.why.value.trim() });
    location.assign(`/waiting/${fields.id.value}`);
  } catch (fault) {
    at("open-refusal").textContent = `Not done: ${refusalInWords(fault)}`;
  }
}

if (await begin()) {
  at("open").addEventListener("submit", open);
  await look(false);
  setInterval(() => look(true), EVERY);
}
