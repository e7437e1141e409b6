// The band on pages that follow nothing else: the rulebooks, and the door. Who is not signed in is told the level alone.

const EVERY = 3000; // milliseconds
const UNKNOWN = { level: "unknown", words: "This page does not know the table's state: follow the table's own display and lamps" };

// Nobody sees a hidden page, so it does not ask; what it showed is no longer known.
async function look() {
  if (document.hidden) return show(UNKNOWN);
  let band = UNKNOWN;
  try {
    const answer = await fetch("/api/v1/band", { headers: { accept: "application/json", "x-by-itself": "1" }, cache: "no-store" });
    if (answer.ok) band = await answer.json();
  } catch {} // the table does not answer
  show(document.hidden ? UNKNOWN : band);
}

function show(band) {
  const box = document.getElementById("band");
  box.className = `band ${band.level}`;
  box.hidden = false;
  for (const [id, words] of [["band-level", band.level === "unknown" ? "NOT LIVE" : band.level.toUpperCase()], ["band-words", band.words]]) {
    const part = document.getElementById(id);
    if (part.textContent !== words) part.textContent = words; // a reader of the screen hears changes alone
  }
}

look();
setInterval(look, EVERY);
addEventListener("visibilitychange", look);
