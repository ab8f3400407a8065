/**
 * Finds the lines in a service's log that report a fault. Lines about refused deliveries and lines about a slow machine
 * are left out, because neither is a fault of the service. Example of a slow machine: a busy disk takes a second per
 * message.
 */

const slowness: ReadonlySet<unknown> = new Set([
  'enqueue is retried',
  'journal does not answer yet',
  'journal reading is interrupted',
  'journal cannot be read yet',
]);

const refusal =
  /^webhook delivery refused: |^\d+ more webhook deliveries were refused in the previous minute, but not logged one by one$/;

/** Returns the lines of a log that report a fault. */
export function faultsIn(log: string): string[] {
  return log.split('\n').filter((line) => {
    const message = messageOf(line);
    return line !== '' && !slowness.has(message) && !refusal.test(String(message));
  });
}

/** Returns the message of a log line; undefined for a line that the logger did not write, such as a stack trace. */
function messageOf(line: string): unknown {
  try {
    return JSON.parse(line).msg;
  } catch {
    return undefined;
  }
}
