// A line on which the server tells news, kept: it is connected again whatever happens, also when it falls silent.

import { ask } from "./api.js";
import { watchSession } from "./shell.js";

const SILENT_AFTER = 20000; // a living table, and a living floor, says something each second
const AGAIN_AFTER = 2000;
const ASK_EVERY = 5000; // milliseconds, of a page that nobody sees

// Calls again and again, also in a page that nobody sees; gives what ends it. Where there is no worker a browser may make a
// minute of it.
function every(milliseconds, call) {
  if (!globalThis.Worker) {
    const timer = setInterval(call, milliseconds);
    return () => clearInterval(timer);
  }
  const worker = new Worker("/static/ticker.js");
  worker.addEventListener("message", call);
  worker.postMessage(milliseconds);
  return () => worker.terminate();
}

// `told(news)` for each event of this name, `cut()` when there is no line.
export const keepLine = (name, told, cut) => lineFor(name, told, cut).connect();

function lineFor(name, told, cut) {
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

  return { connect, stop };
}

// News of a name as `keepLine` tells them, for a page of what was. While nobody sees it, it gives its line back: a browser
// has six connections for one table, and a person sixteen lines. It asks `path` now and then instead, so its title and
// its band stay true. A page that `sounds()` must be in time to the second: of all hidden ones that sound, one at a time
// keeps its line, by a lock that they share.
export function keepLineWhileSeen({ name, path }, told, cut, sounds) {
  let heard = Date.now();
  let resting = null; // ends what it does while nobody sees it
  const line = lineFor(name, hear, cut);

  function hear(state) {
    heard = Date.now();
    told(state);
  }

  function rest() {
    const ends = new AbortController();
    resting = ends;
    let waits = false;

    async function look() {
      if (waits) return cut(); // the last question has no answer yet
      waits = true;
      try {
        const state = await ask("GET", path, undefined, true);
        if (!ends.signal.aborted && asking !== null) hear(state);
      } catch (fault) {
        if (ends.signal.aborted) return;
        cut();
        if (fault.status === 401) watchSession();
      } finally {
        waits = false;
      }
    }

    let asking = every(ASK_EVERY, look);
    const asksNoMore = () => {
      asking?.();
      asking = null;
    };
    ends.signal.addEventListener("abort", asksNoMore);
    look();
    if (!sounds() || !navigator.locks) return;
    const keep = () => {
      asksNoMore();
      line.connect();
      return new Promise((over) => ends.signal.addEventListener("abort", over));
    };
    navigator.locks.request("line-of-hidden-pages", { signal: ends.signal }, keep).catch(() => null); // seen before its turn came
  }

  function turn() {
    resting?.abort();
    resting = null;
    line.stop();
    if (document.hidden) return rest();
    if (Date.now() - heard > SILENT_AFTER) cut(); // until the line says how it is
    line.connect();
  }

  document.addEventListener("visibilitychange", turn);
  turn();
}
