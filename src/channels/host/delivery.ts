/**
 * What channels of the source-code host share: what they need of it before anything is sent, and what a failure of it means for
 * the publication. Everything here can be asked for or done again, so nothing ends unknown.
 */
import { ServiceError } from '../../foundation/errors.ts';
import { type DeliveryContext, DeliveryError, type HostAccess } from '../channel.ts';

/**
 * Carries out a delivery on the host.
 * @throws DeliveryError `retry` where the host may take it later, `refused` where it will not
 */
export async function onHost<Result>(
  { host, signal }: Pick<DeliveryContext, 'host' | 'signal'>,
  deliver: (host: HostAccess) => Promise<Result>,
): Promise<Result> {
  if (host === null)
    throw new DeliveryError(
      'refused',
      'The service has no credentials for the host of this repository (TIDINGS_HOST_TOKEN).',
    );
  try {
    return await deliver(host);
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    if (signal.aborted) throw new DeliveryError('retry', 'The host did not answer in time.');
    if (!(error instanceof ServiceError)) throw error;
    const waitMs = error.retryAfter === undefined ? undefined : error.retryAfter * 1000;
    throw new DeliveryError(error.kind === 'unavailable' ? 'retry' : 'refused', error.message, waitMs);
  }
}

/** What a test call finds out; nothing is written, as it would be seen by everybody. */
export function testHost(context: Pick<DeliveryContext, 'host' | 'signal'>): Promise<string> {
  return onHost(context, async (host) => {
    const canWrite = await host.canWrite();
    if (canWrite === false)
      throw new DeliveryError('refused', 'The token or the app may read the repository, but not write to it.');
    return canWrite
      ? 'The host says that the token or the app may write to the repository. Nothing was written.'
      : 'The repository can be read; the host does not say whether it may be written to. Nothing was written.';
  });
}
