/**
 * The end of a command: whatever it printed is taken by the reader first. Which exit code a command has is its own business.
 */

/**
 * Ends the process with an exit code once standard output and standard error are written out. Node.js writes to a pipe in
 * its own time, and a plain exit cuts off what a slow reader has not taken yet. A reader that has left (`| head`) ends the
 * wait.
 */
export async function exitWith(code: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

/** Lets the reader of standard output leave early, as `head` does: the rest is for nobody, and nothing is wrong. */
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
