/** Tests a channel connection on request and reports the result. */
import { DeliveryError } from '../../src/channels/channel.ts';
import { channelOf } from '../../src/channels/index.ts';
import { ulid } from '../../src/foundation/ids.ts';
import type { ChannelTest, TestChannelTask } from '../../src/protocol/tasks.ts';
import { ConnectionError, type Delivering, deliveryBase } from './context.ts';
import { hostAccess } from './host.ts';

/** Tests a connection within `ms` milliseconds. */
export async function testChannel(
  delivering: Delivering,
  { channel, connection, repoId }: TestChannelTask,
  ms: number,
): Promise<ChannelTest> {
  const signal = AbortSignal.timeout(ms);
  try {
    const base = deliveryBase(delivering, channel, connection);
    const host = repoId === null ? null : hostAccess(delivering, repoId, signal);
    const recipients = { due: [], unsubscribed: 0, alreadySent: 0 };
    const what = { publicationId: `test_${ulid()}`, reference: null, resumed: false };
    const context = { ...base, ...what, signal, recipients, host };
    return { ok: true, message: await channelOf(channel).test(context) };
  } catch (error) {
    if (error instanceof DeliveryError || error instanceof ConnectionError)
      return { ok: false, message: error.message };
    if (signal.aborted) return { ok: false, message: `The receiver did not answer within ${ms / 1000} seconds.` };
    throw error;
  }
}
