/** Receives messages that processes send to each other. They are packed, and they are not stored. */
import type { Msg, NatsConnection, Subscription } from 'nats';
import { unpackMessage } from './codec.ts';

/**
 * Subscribes to a subject. A message that cannot be unpacked is dropped. If `handle` throws, the process gets the error
 * as an uncaught one. Without this, one such message would make the NATS client (nats 2.29.3) stop reading from the
 * connection, without an error and for ever.
 */
export function receiveMessages<T>(
  connection: NatsConnection,
  subject: string,
  handle: (content: T, message: Msg) => void,
): Subscription {
  return connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) return;
      try {
        const content = unpacked(message.data);
        if (content !== undefined) handle(content as T, message);
      } catch (fault) {
        queueMicrotask(() => {
          throw fault;
        });
      }
    },
  });
}

/** Unpacks a message. Returns undefined for bytes that no process of the service has packed. */
function unpacked(data: Uint8Array): unknown {
  try {
    return unpackMessage(data);
  } catch {
    return undefined;
  }
}
