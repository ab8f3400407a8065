/** Sends a request that several processes answer, and collects their answers. */
import { ErrorCode, type Msg, type NatsError, RequestStrategy } from 'nats';
import type { Journal } from './connect.ts';

/** How long to collect answers. */
interface GatherOptions {
  /** Maximum time, in milliseconds. */
  ms: number;
  /** Returns true when no further answer is needed. */
  until?: (answers: readonly Uint8Array[]) => boolean;
}

/** Returns the answers to a request. If no process answers on the subject, returns an empty list at once. */
export async function gather(
  { connection }: Journal,
  subject: string,
  payload: Uint8Array | undefined,
  { ms, until }: GatherOptions,
): Promise<Uint8Array[]> {
  const answers: Uint8Array[] = [];
  try {
    const options = { strategy: RequestStrategy.Timer, maxWait: ms };
    const replies: AsyncIterable<Msg> = await connection.requestMany(subject, payload, options);
    for await (const { data } of replies) {
      answers.push(data);
      if (until?.(answers)) break;
    }
  } catch (error) {
    if ((error as NatsError).code !== ErrorCode.NoResponders) throw error;
  }
  return answers;
}
