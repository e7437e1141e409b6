// A worker that ticks for a page. Browsers slow the timers of a page that nobody sees to one a minute, and not a worker's.

addEventListener("message", ({ data }) => setInterval(() => postMessage(null), data));
