/**
 * Shows how far a long piece of work has come: a bar on a terminal, a plain line at every tenth elsewhere.
 * Writes to the stream it is given and knows nothing of the work itself.
 */

/** Where progress is written; `isTTY` and `columns` are there on a terminal only. */
export type ProgressStream = { write(text: string): unknown; isTTY?: boolean; columns?: number };

export type ProgressOptions = {
  label: string;
  total: number;
  stream: ProgressStream;
  /** A clock in milliseconds; the process's own unless a test brings one. */
  now?: () => number;
};

export type Progress = {
  /** Counts finished units; draws when it is time to. */
  advance(count?: number): void;
  /** Draws the last state and ends the line; the summary gets a line of its own. */
  done(summary?: string): void;
};

type State = { label: string; total: number; count: number; elapsedMs: number };

// Faster than this nobody reads, and each draw is a system call.
const redrawMs = 80;
const widestBar = 30;
const eraseLine = '\r\x1b[K';

/** Starts at zero now; a total of zero counts as finished. */
export function createProgress(options: ProgressOptions): Progress {
  return options.stream.isTTY === true ? createBar(options) : createLines(options);
}

function createBar({ label, total, stream, now = () => performance.now() }: ProgressOptions): Progress {
  const startedAt = now();
  let count = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const draw = () => {
    drawnAt = now();
    const state = { label, total, count, elapsedMs: drawnAt - startedAt };
    stream.write(eraseLine + barLine(state, stream.columns ?? 80));
  };
  draw();
  return {
    advance(units = 1) {
      count += units;
      if (now() - drawnAt >= redrawMs) draw();
    },
    done(summary) {
      draw();
      stream.write(summary === undefined ? '\n' : `\n${summary}\n`);
    },
  };
}

function createLines({ label, total, stream, now = () => performance.now() }: ProgressOptions): Progress {
  const startedAt = now();
  let count = 0;
  let writtenTenth = 0;
  return {
    advance(units = 1) {
      count += units;
      const tenth = Math.floor(shareOf(count, total) * 10);
      if (tenth <= writtenTenth) return;
      writtenTenth = tenth;
      stream.write(`${figures({ label, total, count, elapsedMs: now() - startedAt }).join('  ')}\n`);
    },
    done(summary) {
      if (summary !== undefined) stream.write(`${summary}\n`);
    },
  };
}

/** The bar takes what the figures leave of the line; below ten columns it is left out. */
function barLine(state: State, columns: number): string {
  const [label = '', ...rest] = figures(state);
  const tail = rest.join('  ');
  // One column stays free: terminals wrap when the last one is written.
  const width = Math.min(widestBar, columns - label.length - tail.length - 5);
  if (width < 10) return `${label}  ${tail}`.slice(0, Math.max(0, columns - 1));
  const filled = Math.round(shareOf(state.count, state.total) * width);
  return `${label}  ${'█'.repeat(filled)}${'░'.repeat(width - filled)}  ${tail}`;
}

/** Label, per cent, count, rate, and the time left or, at the end, the time taken. */
function figures(state: State): string[] {
  const { label, total, count, elapsedMs } = state;
  const percent = `${Math.floor(shareOf(count, total) * 100)} %`.padStart(5);
  const parts = [label, percent, `${formatCount(count)}/${formatCount(total)}`];
  if (count === 0 || elapsedMs <= 0) return parts;
  const perSecond = (count / elapsedMs) * 1000;
  const time =
    count >= total ? `in ${formatSeconds(elapsedMs / 1000)}` : `ETA ${formatSeconds((total - count) / perSecond)}`;
  return [...parts, `${formatRate(perSecond)}/s`, time];
}

function shareOf(count: number, total: number): number {
  return total <= 0 ? 1 : Math.min(1, count / total);
}

function formatCount(count: number): string {
  return count.toLocaleString('en-GB');
}

function formatRate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond));
}

function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
