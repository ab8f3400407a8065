/**
 * Sends questions to a partition's owner. A question is a request that needs computation but changes nothing
 * (`docs/architecture.md` decision 22). The question is sent as a NATS request and answered by the owner's render pool.
 * So the computation never blocks the gateway.
 */
import type { Subscription } from 'nats';
import { type ErrorDetails, type ErrorKind, ServiceError, toServiceError } from '../foundation/errors.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { leadQuerySubject, querySubject } from './subjects.ts';

type Answer<T> =
  | { ok: true; value: T }
  | { ok: false; kind: ErrorKind; message: string; details?: ErrorDetails; retryAfter?: number };

/** How long a client waits for an answer, in milliseconds. */
export const queryMs = 10_000;

/**
 * Sends a question about a partition to this node's owner of the partition and returns the answer.
 * @param timeout how long to wait for the answer, in milliseconds
 * @throws ServiceError the owner's error if the owner answers with an error; `unavailable` if no answer arrives in time
 */
export function ask<Q, T>(journal: Journal, partition: PartitionName, question: Q, timeout = queryMs): Promise<T> {
  return send(journal, querySubject(journal.node, partition), question, timeout);
}

/**
 * Sends a question to the lead of a partition and returns the answer.
 * @param lead the lead as the own store knows it. If another node leads by now, the node that is asked refuses
 * @throws ServiceError as `ask`; also `unavailable` while the partition has no lead
 */
export async function askLead<Q, T>(
  journal: Journal,
  partition: PartitionName,
  lead: { node: string } | undefined,
  question: Q,
  timeout = queryMs,
): Promise<T> {
  if (!lead) throw notNow();
  return send(journal, leadQuerySubject(lead.node, partition), question, timeout);
}

/**
 * Sends a question about a partition to another node of the cluster and returns the answer.
 * @throws ServiceError as `ask`
 */
export function askNode<Q, T>(
  journal: Journal,
  { node, partition }: { node: string; partition: PartitionName },
  question: Q,
  timeout = queryMs,
): Promise<T> {
  return send(journal, querySubject(node, partition), question, timeout);
}

async function send<Q, T>({ connection }: Journal, subject: string, question: Q, timeout: number): Promise<T> {
  const reply = await connection.request(subject, packMessage(question), { timeout }).catch(() => {
    throw notNow();
  });
  const answer = unpackMessage<Answer<T>>(reply.data);
  if (answer.ok) return answer.value;
  throw new ServiceError(answer.kind, answer.message, answer);
}

function notNow(): ServiceError {
  const message = 'The data of this resource is not available right now. Try again in a second.';
  return new ServiceError('unavailable', message, { retryAfter: 1 });
}

/** Handles questions and returns their answers. */
type Handle<Q, T> = (question: Q) => Promise<T>;

/**
 * Answers the questions that are sent to this node's owner of a partition. Unsubscribe the returned subscription to
 * stop. An answer that is larger than the server's messages becomes an error for the client.
 */
export function answerQueries<Q, T>(journal: Journal, partition: PartitionName, handle: Handle<Q, T>): Subscription {
  return answerOn(journal, querySubject(journal.node, partition), handle);
}

/** Answers the questions that are sent to the lead of a partition on this node, as `answerQueries` does. */
export function answerLeadQueries<Q, T>(
  journal: Journal,
  partition: PartitionName,
  handle: Handle<Q, T>,
): Subscription {
  return answerOn(journal, leadQuerySubject(journal.node, partition), handle);
}

function answerOn<Q, T>({ connection }: Journal, subject: string, handle: Handle<Q, T>): Subscription {
  return connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) return;
      const maxBytes = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
      void answer(() => handle(unpackMessage<Q>(message.data)))
        .then((reply) => (reply.byteLength <= maxBytes ? reply : packMessage(tooLarge(reply.byteLength))))
        .then((reply) => message.respond(reply))
        // The connection is closing. The client gets no answer and asks again.
        .catch(() => undefined);
    },
  });
}

/** Returns the packed answer. */
async function answer<T>(handle: () => Promise<T>): Promise<Uint8Array> {
  try {
    return packMessage({ ok: true, value: await handle() });
  } catch (error) {
    const { kind, message, details, retryAfter } = toServiceError(error);
    const more = { ...(details && { details }), ...(retryAfter !== undefined && { retryAfter }) };
    return packMessage({ ok: false, kind, message, ...more });
  }
}

function tooLarge(bytes: number): Answer<never> {
  const message = `The answer has ${bytes} bytes, which is too large to send. Ask for less, for example with a smaller limit.`;
  return { ok: false, kind: 'unprocessable', message };
}
