/** Turns replies of a host that deny access to a resource into errors. */
import { ServiceError } from '../foundation/errors.ts';

/**
 * Returns the error for a reply that denies access, or undefined if the status has another meaning.
 * @param summary who answered which status to which request; the message begins with this text
 * @param permission the permission that is missing after 401 or 403, such as `to read this`
 */
export function denialOf(status: number, summary: string, permission: string): ServiceError | undefined {
  if (status === 401 || status === 403)
    return new ServiceError('unauthorized', `${summary}: the token or app has no permission ${permission}.`);
  if ([404, 410, 451].includes(status))
    return new ServiceError(
      'notFound',
      `${summary}: the resource does not exist, or the token or app has no access to it.`,
    );
  return undefined;
}
