// The waiting lists of every card room, and new ones.

import { beginList, beginOpening } from "./floor-list.js";
import { begin, make, may } from "./shell.js";

function tile(one) {
  const item = make("li", one.wrong ? "grave" : "");
  item.dataset.item = one.id;
  const title = make("h3");
  title.append(Object.assign(make("a", "", one.title || one.id), { href: may("seat") ? `/waiting/${one.id}` : `/waiting/${one.id}/screen` }));
  if (one.closed) title.append(make("small", "", "closed"));
  const list = make("dl");
  for (const [term, words] of [["Games", one.games], ["Wait", one.waiting], ["Called", one.called], ["Free seats", one.free], ["Rules", one.book]]) list.append(make("dt", "", term), make("dd", "", words));
  item.append(title, list);
  if (one.wrong) item.append(make("p", "bad", one.wrong));
  const screens = make("p", "tools");
  screens.append(Object.assign(make("a", "button", "Screen for players"), { href: `/waiting/${one.id}/screen` }));
  item.append(screens);
  return item;
}

if (await begin()) {
  beginOpening("waiting", (fields) => ({ title: fields.title.value.trim() }));
  await beginList({ address: "waiting", name: "rooms" }, tile);
}
