/**
 * Shared code of the channels that write to the source-code host. Before a delivery, this code checks that credentials
 * exist. When the host fails, this code decides whether the delivery is retried or refused. The outcome is never
 * `unknown`: each request to the host can be repeated safely, or its result can be looked up.
 */
import { ServiceError } from '../../foundation/errors.ts';
import { type DeliveryContext, DeliveryError, type HostAccess } from '../channel.ts';

/**
 * Carries out a delivery on the host.
 * @throws DeliveryError `retry` if the host may accept the delivery later, or `refused` if the host never will
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

/**
 * Checks that a connection has access to its repository. The test writes nothing to the repository, because everyone
 * could see a test text there.
 */
export function testHost(context: Pick<DeliveryContext, 'host' | 'signal'>): Promise<string> {
  return onHost(context, async (host) => {
    const canWrite = await host.canWrite();
    if (canWrite === false)
      throw new DeliveryError('refused', 'The token or the app can read the repository but cannot write to it.');
    return canWrite
      ? 'The host reports that the token or the app can write to the repository. Nothing was written.'
      : 'The token or the app can read the repository. The host does not report whether it can also write to the repository. Nothing was written.';
  });
}
