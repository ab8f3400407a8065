/**
 * Shows the progress of a long task. On a terminal it draws a bar. Elsewhere it writes a plain line after every tenth
 * of the task. It writes to the given stream and does not depend on the task.
 */

/** The stream that progress is written to. Only a terminal has `isTTY` and `columns`. */
export type ProgressStream = { write(text: string): unknown; isTTY?: boolean; columns?: number };

export type ProgressOptions = {
  label: string;
  total: number;
  stream: ProgressStream;
  /**
   * Returns the current time in milliseconds. By default, this is the clock of the process. Tests pass a function of
   * their own.
   */
  now?: () => number;
};

export type Progress = {
  /** Counts finished units, and redraws the bar if enough time has passed since the last redraw. */
  advance(count?: number): void;
  /** Draws the final state and ends the line. The summary is written on a line of its own. */
  done(summary?: string): void;
};

type State = { label: string; total: number; count: number; elapsedMs: number };

// Minimum interval between two redraws, in milliseconds. A person cannot read faster changes, and each redraw is a
// system call.
const redrawMs = 80;
const widestBar = 30;
const eraseLine = '\r\x1b[K';

/**
 * Creates a progress display. The count and the elapsed time begin at zero. A task with a total of zero units counts as
 * finished.
 */
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

/**
 * Returns the line with the bar. The bar fills the rest of the line. The bar is omitted if fewer than ten columns are
 * left.
 */
function barLine(state: State, columns: number): string {
  const [label = '', ...rest] = figures(state);
  const tail = rest.join('  ');
  // One column stays free, because terminals begin a new line when the last column is written.
  const width = Math.min(widestBar, columns - label.length - tail.length - 5);
  if (width < 10) return `${label}  ${tail}`.slice(0, Math.max(0, columns - 1));
  const filled = Math.round(shareOf(state.count, state.total) * width);
  return `${label}  ${'█'.repeat(filled)}${'░'.repeat(width - filled)}  ${tail}`;
}

/**
 * Returns label, percentage, count, rate, and the remaining time. At the end, the time taken replaces the remaining
 * time.
 */
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
  // `toLocaleString` gives the same text, but its first use takes 30 ms.
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
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
