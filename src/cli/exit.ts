/**
 * Defines the exit codes of commands, ends the process without losing output, and allows the reader of the output to
 * close the pipe early.
 */
import { ServiceError } from '../foundation/errors.ts';
import { ConflictError, NotFoundError, UsageError } from './usage.ts';

/** The exit codes of commands. The topic `exit-codes` of the help explains them. */
export const exitCodes = { done: 0, failed: 1, usage: 2, notFound: 3, conflict: 4 } as const;

/** Returns the exit code of a command that ended with an error. */
export function exitCodeOf(error: unknown): number {
  const kind = error instanceof ServiceError ? error.kind : undefined;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFoundError || kind === 'notFound') return exitCodes.notFound;
  if (error instanceof ConflictError || kind === 'preconditionFailed') return exitCodes.conflict;
  return exitCodes.failed;
}

/**
 * Ends the process with an exit code once standard output and standard error are written. Node.js writes to a pipe
 * asynchronously, so an immediate exit would lose output that a slow reader has not read yet. If the reader closes the
 * pipe early (`| head`), the process stops waiting and exits.
 */
export async function exitWith(code: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

/**
 * Allows the reader of standard output to close the pipe early, as `head` does. The remaining output is dropped, and
 * the command does not report an error.
 */
export function letReaderLeave(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) return resolve();
    stream.write('', () => resolve());
  });
}
