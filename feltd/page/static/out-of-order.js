// The page of a table that cannot start: looks whether it still cannot, for the same reason.

const EVERY = 3000; // milliseconds

async function look() {
  try {
    const answer = await fetch("/healthz", { cache: "no-store" });
    const said = (await answer.text()).trim();
    if (answer.ok || said !== document.body.dataset.said) location.reload();
  } catch {
    // The controller starts again: the next look finds it.
  }
}

setInterval(look, EVERY);
