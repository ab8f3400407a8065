/**
 * What a service has logged, without what only tells that the machine was slow: a second for one message is much for a disk,
 * and no fault of the service.
 */

const slowness: ReadonlySet<unknown> = new Set([
  'enqueue is retried',
  'journal does not answer yet',
  'journal reading is interrupted',
  'journal cannot be read yet',
]);

/** The lines of a log that tell of a fault. */
export function faultsIn(log: string): string[] {
  return log.split('\n').filter((line) => line !== '' && !slowness.has(messageOf(line)));
}

/** The message of a line; nothing of what is no line of the logger, like a stack of the runtime. */
function messageOf(line: string): unknown {
  try {
    return JSON.parse(line).msg;
  } catch {
    return undefined;
  }
}
