/**
 * Makes the results of commands that cannot be carried out on the stored data. The results contain the API's error
 * messages.
 */
import { notFound, ServiceError } from '../../src/foundation/errors.ts';
import type { CommandResult } from '../../src/protocol/commands.ts';

/** Returns the result of a command that names something which the partition does not contain. */
export function missing(resource: string, id: string): CommandResult {
  return refused(notFound(resource, id));
}

/**
 * Returns the result of a write whose `If-Match` header does not match the stored state. The fold makes this decision,
 * because only the fold puts two concurrent writes into an order.
 */
export function stale(resource: string, id: string): CommandResult {
  const what = `${resource} ${JSON.stringify(id)}`;
  return refused(
    new ServiceError(
      'preconditionFailed',
      `${what} has changed since the version in If-Match. Get the current version, then try again.`,
    ),
  );
}

/** Returns the result of a command that ended in an expected failure. */
export function refused({ kind, message, details }: ServiceError): CommandResult {
  return { ok: false, kind, message, ...(details && { details }) };
}
