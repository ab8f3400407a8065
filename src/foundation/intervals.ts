/**
 * Runs periodic work. All work with the same interval shares one timer, so that an idle process wakes as rarely as
 * possible.
 */

interface Shared {
  timer: NodeJS.Timeout;
  runs: Set<() => void>;
}

const byMs = new Map<number, Shared>();

/**
 * Calls `run` every `ms` milliseconds, for the first time within `ms` milliseconds. The timer does not keep the process
 * alive. `run` must not throw.
 * @returns a function that ends the calls
 */
export function onInterval(ms: number, run: () => void): () => void {
  const shared = byMs.get(ms) ?? start(ms);
  const own = () => run();
  shared.runs.add(own);
  return () => {
    if (!shared.runs.delete(own) || shared.runs.size > 0) return;
    clearInterval(shared.timer);
    byMs.delete(ms);
  };
}

function start(ms: number): Shared {
  const runs = new Set<() => void>();
  const timer = setInterval(() => {
    for (const run of runs) run();
  }, ms).unref();
  const shared = { timer, runs };
  byMs.set(ms, shared);
  return shared;
}
