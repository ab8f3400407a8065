// Prints the progress of set-up, one line per step. Also runs other programs, and ends them when this process ends. The
// progress is printed to standard error, because standard output belongs to the program that runs afterwards.
import { spawn } from 'node:child_process';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const children = new Set();
let watcher = () => {};

/**
 * A failure that set-up can explain. The error contains the fault, the requirement that is not met, and the next step.
 */
export class SetupError extends Error {
  constructor(message, { detail, expected, next } = {}) {
    super(message);
    Object.assign(this, { name: 'SetupError', detail, expected, next });
  }
}

/** Returns the text to print for a failure. For an unexpected error, the text includes the stack. */
export function describeFailure(error) {
  if (['EACCES', 'EPERM', 'EROFS'].includes(error?.code)) {
    return `✗ no permission to write ${error.path ?? 'here'}\n  next:   run as the owner of this folder, or make your user its owner`;
  }
  if (!(error instanceof SetupError)) return `set-up failed: ${error?.stack ?? error}`;
  const lines = [`✗ ${error.message}`];
  if (error.detail) lines.push(error.detail.trimEnd().replace(/^/gm, '  '));
  if (error.expected) lines.push(`  needed: ${error.expected}`);
  if (error.next) lines.push(`  next:   ${error.next}`);
  return lines.join('\n');
}

/**
 * Reports the progress of steps. While a step runs, a terminal shows a progress line. After the step, the reporter
 * prints a line with the duration of the step.
 */
export function createReporter({ quiet = false, stream = process.stderr } = {}) {
  const live = !quiet && stream.isTTY === true;

  function spin(label, startedAt) {
    if (!live) return () => {};
    let frame = 0;
    const timer = setInterval(() => {
      frame += 1;
      stream.write(`\r\x1b[K${FRAMES[frame % FRAMES.length]} ${label} … ${seconds(startedAt)}`);
    }, 80);
    return () => {
      clearInterval(timer);
      stream.write('\r\x1b[K');
    };
  }

  return {
    note(text) {
      if (!quiet) stream.write(`${text}\n`);
    },
    /**
     * Runs `work` and prints its progress. The final line is the text that `work` returns, or `label` if `work` returns
     * nothing. If `work` throws, the step has failed.
     */
    async step(label, work) {
      const startedAt = Date.now();
      const stop = spin(label, startedAt);
      let done;
      try {
        done = await work();
      } finally {
        stop();
      }
      if (!quiet) stream.write(`✓ ${done ?? label} (${seconds(startedAt)})\n`);
    },
  };
}

/**
 * Runs a program to its end. Resolves with the exit code and the whole output of the program. The exit code is 127 if
 * the program cannot start.
 */
export function run(command, args, { cwd, env, shell = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    notifyWatcher();
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.once('error', (error) => finish(127, error.message));
    child.once('close', (code, signal) => finish(code ?? 1, signal ? `ended by ${signal}` : ''));

    function finish(code, extra) {
      if (!children.delete(child)) return;
      notifyWatcher();
      resolve({ code, output: extra ? `${output}${extra}\n` : output });
    }
  });
}

/**
 * Calls `listener` whenever a program starts or ends. The argument is the list of the process ids of the running
 * programs.
 */
export function watchPrograms(listener) {
  watcher = listener;
}

function notifyWatcher() {
  watcher([...children].map((child) => child.pid).filter((pid) => pid !== undefined));
}

/**
 * Handles SIGINT and SIGTERM. Each signal ends the running programs and then this process. The exit of this process
 * releases the lock. Returns a function that removes the signal handlers.
 */
export function endWithSignals() {
  const codes = { SIGINT: 130, SIGTERM: 143 };
  const listeners = Object.entries(codes).map(([signal, code]) => {
    const listener = () => {
      for (const child of children) child.kill(signal);
      process.exit(code);
    };
    process.on(signal, listener);
    return [signal, listener];
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

function seconds(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
