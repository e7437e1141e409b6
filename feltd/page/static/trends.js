// Trends: the server draws the pictures; the figures stand beside each for those who want them.

import { ask } from "./api.js";
import { lastOnly } from "./late.js";
import { at, begin, make, moment, watchSession } from "./shell.js";

const AGAIN_AFTER = 30000;
const asks = lastOnly();
const bySpan = document.querySelectorAll("[data-span]");

function label(part) {
  return part.label || moment(part.since);
}

function figures(trend) {
  const details = make("details");
  details.append(make("summary", "", "In figures"));
  const table = make("table");
  for (const part of trend.parts) {
    if (part.value === null) continue;
    const row = make("tr");
    row.append(make("td", "", label(part)), make("td", "n", part.value));
    table.append(row);
  }
  details.append(table);
  return details;
}

async function show(span) {
  const counts = asks();
  for (const one of bySpan) one.setAttribute("aria-pressed", String(one.dataset.span === span));
  at("told").textContent = "";
  try {
    const trends = await ask("GET", `/trends?span=${span}`);
    if (!counts()) return;
    at("pictures").replaceChildren(
      ...trends.map((trend) => {
        const figure = make("figure");
        const picture = make("picture");
        const image = make("img");
        image.src = `/api/v1/trends/${trend.name}.svg?span=${span}`;
        // at the width where a wide one would have letters of less than 14 pixels
        picture.append(Object.assign(make("source"), { media: "(max-width: 31rem)", srcset: `${image.src}&narrow=true` }), image);
        const told = trend.parts.filter((part) => part.value).map((part) => `${label(part)}: ${part.value}`);
        image.alt = `${trend.title}. ${told.length ? told.join(", ") : "Nothing in this time"}`;
        figure.append(picture, figures(trend));
        return figure;
      })
    );
    if (!trends.some((trend) => trend.parts.some((part) => part.value))) at("told").textContent = "Nothing in this time.";
  } catch (fault) {
    if (counts()) at("told").textContent = `Could not load: ${fault.message}.`;
  }
}

for (const one of bySpan) one.addEventListener("click", () => show(one.dataset.span));
if (await begin()) {
  show("shift");
  if (document.body.dataset.pit) setInterval(watchSession, AGAIN_AFTER); // its band is another script's
  else (await import("./live.js")).watchOver();
}
