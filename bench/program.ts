/**
 * Runs a helper program of the bench in its own process. The helper sends one reply per message. It ends when the
 * channel to the bench closes, so no helper outlives the bench.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A running helper program. */
export interface Program {
  readonly pid: number;
  /** Sends a message and waits for its reply. Only one message may be pending. */
  ask<T>(message: object): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a program with the same runtime flags as the service's own processes. */
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
 * Makes this process a helper program that replies to every message with `answer`.
 * @param end cleans up when the bench has ended
 */
export function answerMessages<T>(
  answer: (message: T) => Promise<object>,
  end: () => Promise<unknown> = async () => {},
): void {
  process.on('disconnect', () => void end().finally(() => process.exit(0)));
  // Ctrl-C in a terminal sends SIGINT to this process too, but the bench decides when this process ends.
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
