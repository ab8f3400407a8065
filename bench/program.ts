/**
 * A helper program of the bench in a process of its own: one message in, one answer out. It ends when its channel closes, so
 * none outlives the bench.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A running helper program. */
export interface Program {
  readonly pid: number;
  /** Sends a message and waits for the answer to it; one at a time. */
  ask<T>(message: object): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a program with the runtime flags that the service's own processes have. */
export function startProgram(file: URL, env: NodeJS.ProcessEnv = process.env): Program {
  const child = fork(fileURLToPath(file), { env, execArgv: ['--enable-source-maps'], serialization: 'advanced' });
  return {
    pid: child.pid ?? 0,
    ask: (message) =>
      new Promise((resolve, reject) => {
        const ended = (code: number | null) => reject(new Error(`${file.pathname} ended with code ${code}`));
        child.once('exit', ended);
        child.once('message', (answer) => {
          child.off('exit', ended);
          resolve(answer as never);
        });
        child.send(message);
      }),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        if (child.connected) child.disconnect();
      }),
  };
}

/**
 * Makes this process a helper program: every message is answered by `answer`.
 * @param end what is left to do when the bench is gone
 */
export function answerMessages<T>(
  answer: (message: T) => Promise<object>,
  end: () => Promise<unknown> = async () => {},
): void {
  process.on('disconnect', () => void end().finally(() => process.exit(0)));
  // A terminal's Ctrl-C reaches this process too; the bench decides when it ends.
  process.on('SIGINT', () => {});
  process.on('message', (message: T) => {
    answer(message).then(
      (result) => process.send?.(result),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
      },
    );
  });
}
