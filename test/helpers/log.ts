/**
 * What a service has logged, without what is no fault of the service: a machine that was slow (a second for one message is much
 * for a disk), and deliveries that it refused.
 */

const slowness: ReadonlySet<unknown> = new Set([
  'enqueue is retried',
  'journal does not answer yet',
  'journal reading is interrupted',
  'journal cannot be read yet',
]);

const refusal = /^webhook delivery refused: |^\d+ more webhook deliveries were refused in that minute$/;

/** The lines of a log that tell of a fault. */
export function faultsIn(log: string): string[] {
  return log.split('\n').filter((line) => {
    const message = messageOf(line);
    return line !== '' && !slowness.has(message) && !refusal.test(String(message));
  });
}

/** The message of a line; nothing of what is no line of the logger, like a stack of the runtime. */
function messageOf(line: string): unknown {
  try {
    return JSON.parse(line).msg;
  } catch {
    return undefined;
  }
}
