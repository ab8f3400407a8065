/** Ends the process without losing output, and allows the reader of the output to close the pipe early. */

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
