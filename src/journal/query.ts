/**
 * Questions to a partition's owner that change nothing and compute something (`docs/architecture.md` decision 22): a NATS request,
 * answered from the owner's render pool, so that the gateway never stalls.
 */
import type { Subscription } from 'nats';
import { type ErrorDetails, type ErrorKind, ServiceError, toServiceError } from '../foundation/errors.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { type PartitionName, querySubject } from './subjects.ts';

type Answer<T> =
  | { ok: true; value: T }
  | { ok: false; kind: ErrorKind; message: string; details?: ErrorDetails; retryAfter?: number };

/** How long whoever asks waits, in milliseconds. */
export const queryMs = 10_000;

/**
 * Asks the owner of a partition.
 * @throws ServiceError what the owner answered, or `unavailable` when nobody answers in time
 */
export async function ask<Q, T>(journal: Journal, partition: PartitionName, question: Q): Promise<T> {
  const reply = await journal.connection
    .request(querySubject(partition), packMessage(question), { timeout: queryMs })
    .catch(() => {
      throw new ServiceError('unavailable', 'The partition of this resource is not being served right now.', {
        retryAfter: 1,
      });
    });
  const answer = unpackMessage<Answer<T>>(reply.data);
  if (answer.ok) return answer.value;
  throw new ServiceError(answer.kind, answer.message, answer);
}

/** Answers the questions to a partition until the subscription is closed. */
export function answerQueries<Q, T>(
  journal: Journal,
  partition: PartitionName,
  handle: (question: Q) => Promise<T>,
): Subscription {
  return journal.connection.subscribe(querySubject(partition), {
    callback: (error, message) => {
      if (error) return;
      void answer(unpackMessage<Q>(message.data), handle).then((reply) => message.respond(packMessage(reply)));
    },
  });
}

async function answer<Q, T>(question: Q, handle: (question: Q) => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await handle(question) };
  } catch (error) {
    const { kind, message, details, retryAfter } = toServiceError(error);
    return { ok: false, kind, message, ...(details && { details }), ...(retryAfter !== undefined && { retryAfter }) };
  }
}
