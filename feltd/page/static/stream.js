// A line on which the server tells news, kept: it is connected again whatever happens, also when it falls silent.

import { watchSession } from "./shell.js";

const SILENT_AFTER = 20000; // a living table, and a living floor, says something each second
const AGAIN_AFTER = 2000;

// `told(news)` for each event of this name, `cut()` when there is no line. `rests`: none is kept while nobody sees the
// page: a browser has few of them for one table.
export function keepLine(name, told, cut, rests = false) {
  let source = null;
  let silence = null;

  function connect() {
    source = new EventSource("/api/v1/stream");
    watch();
    source.addEventListener(name, (event) => {
      watch();
      told(JSON.parse(event.data));
    });
    source.addEventListener("error", () => {
      cut();
      if (source.readyState !== EventSource.CLOSED) return;
      watchSession(); // its end ends the stream, too
      again();
    });
  }

  function watch() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      cut();
      again();
    }, SILENT_AFTER);
  }

  function again() {
    stop();
    silence = setTimeout(connect, AGAIN_AFTER);
  }

  function stop() {
    clearTimeout(silence);
    source?.close();
  }

  if (!rests || !document.hidden) connect();
  if (!rests) return;
  document.addEventListener("visibilitychange", () => {
    stop();
    if (!document.hidden) connect();
  });
}
