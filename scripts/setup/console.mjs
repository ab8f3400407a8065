// What set-up says and how it runs other programs: one line a step on standard error (standard output belongs to the
// program that follows), and child processes that end with us.
import { spawn } from 'node:child_process';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const children = new Set();
let watcher = () => {};

/** A failure set-up can explain: what failed, what it needs, and the one thing to do next. */
export class SetupError extends Error {
  constructor(message, { detail, expected, next } = {}) {
    super(message);
    Object.assign(this, { name: 'SetupError', detail, expected, next });
  }
}

/** The text a person sees for a failure; anything unforeseen keeps its stack. */
export function describeFailure(error) {
  if (['EACCES', 'EPERM', 'EROFS'].includes(error?.code)) {
    return `✗ no right to write ${error.path ?? 'here'}\n  next:   run as the owner of this folder, or give the folder to your user`;
  }
  if (!(error instanceof SetupError)) return `set-up failed: ${error?.stack ?? error}`;
  const lines = [`✗ ${error.message}`];
  if (error.detail) lines.push(error.detail.trimEnd().replace(/^/gm, '  '));
  if (error.expected) lines.push(`  needed: ${error.expected}`);
  if (error.next) lines.push(`  next:   ${error.next}`);
  return lines.join('\n');
}

/** Runs steps one after another: a moving line on a terminal, then one line that stays with the time it took. */
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
    /** `work` may return the words for the line that stays; it throws to fail the step. */
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

/** Runs a program to its end. Resolves with its exit code and everything it printed; code 127 when it cannot start. */
export function run(command, args, { cwd, env, shell = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    tellWatcher();
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
      tellWatcher();
      resolve({ code, output: extra ? `${output}${extra}\n` : output });
    }
  });
}

/** Tells `listener` the ids of the running programs whenever one starts or ends. */
export function watchPrograms(listener) {
  watcher = listener;
}

function tellWatcher() {
  watcher([...children].map((child) => child.pid).filter((pid) => pid !== undefined));
}

/** Ctrl-C and SIGTERM end what runs below us first; `process.exit` then lets the lock go. */
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
