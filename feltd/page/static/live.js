// The table's state as it comes, for pages that stay: connects again whatever happens, also when the line falls silent.

const SILENT_AFTER = 20000; // a living table says something each second
const AGAIN_AFTER = 2000;

// `drawn(state)` for each state, `lost()` when it cannot be had. Gives a function: the table second it is now.
export function follow(first, drawn, lost) {
  let state = first;
  let heard = performance.now();
  let source = null;
  let silence = null;

  function connect() {
    source = new EventSource("/api/v1/stream");
    watch();
    source.addEventListener("state", (event) => {
      state = JSON.parse(event.data);
      heard = performance.now();
      watch();
      drawn(state);
    });
    source.addEventListener("error", () => {
      lost();
      if (source.readyState === EventSource.CLOSED) again();
    });
  }

  function watch() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      lost();
      again();
    }, SILENT_AFTER);
  }

  function again() {
    clearTimeout(silence);
    source.close();
    silence = setTimeout(connect, AGAIN_AFTER);
  }

  connect();
  return () => state.t + (performance.now() - heard) / 1000;
}
