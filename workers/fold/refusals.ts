/**
 * The results that commands end in when they do not fit what is stored. The words are those of the edge.
 */
import { notFound, ServiceError } from '../../src/foundation/errors.ts';
import type { CommandResult } from '../../src/protocol/commands.ts';

/** The result of a command that names something the partition does not hold. */
export function missing(resource: string, id: string): CommandResult {
  return refused(notFound(resource, id));
}

/** The result of a write whose If-Match names another state. It is decided here, since of two writers only one comes first. */
export function stale(resource: string, id: string): CommandResult {
  const what = `${resource} ${JSON.stringify(id)}`;
  return refused(
    new ServiceError(
      'preconditionFailed',
      `${what} has changed since the state that If-Match names. Get it and try again.`,
    ),
  );
}

/** The result of a command that ended in an expected failure. */
export function refused({ kind, message, details }: ServiceError): CommandResult {
  return { ok: false, kind, message, ...(details && { details }) };
}
