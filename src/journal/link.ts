/**
 * Connects a gateway to the other gateways over core NATS: announcements, questions to one of them, and notices to all
 * of them. Messages are not stored and can be lost.
 */
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { announcementSubject, memberSubject, noticesSubject } from './subjects.ts';

/** What gateways use to talk to each other. A gateway also receives its own announcements and notices. */
export interface Link {
  announce(id: string, announcement: unknown): void;
  onAnnounced(handle: (announcement: unknown) => void): void;
  /** Rejects if the member does not answer within `ms` milliseconds. */
  ask(member: string, question: unknown, ms: number): Promise<unknown>;
  /** Sends a message that needs no answer. */
  tell(member: string, message: unknown): void;
  /** Answers the questions to a member. A question whose answer fails gets none. */
  onAsked(member: string, answer: (question: unknown) => Promise<unknown>): void;
  notify(notice: unknown): void;
  onNotified(handle: (notice: unknown) => void): void;
}

/** Opens the link of a gateway. It ends with the connection. */
export function openLink(journal: Journal): Link {
  const { connection } = journal;
  const send = (subject: string, message: unknown): void => {
    // While the connection is broken, the client would collect these messages. Later they would be out of date.
    if (journal.connected()) connection.publish(subject, packMessage(message));
  };
  const receive = (subject: string, handle: (message: unknown) => void): void => {
    connection.subscribe(subject, {
      callback: (error, { data }) => {
        if (!error) handle(unpackMessage(data));
      },
    });
  };
  return {
    announce: (id, announcement) => send(announcementSubject(id), announcement),
    onAnnounced: (handle) => receive(announcementSubject('*'), handle),
    ask: async (member, question, ms) => {
      if (!journal.connected()) throw new Error('the journal is not connected');
      const reply = await connection.request(memberSubject(member), packMessage(question), { timeout: ms });
      return unpackMessage(reply.data);
    },
    tell: (member, message) => send(memberSubject(member), message),
    onAsked: (member, answer) => {
      connection.subscribe(memberSubject(member), {
        callback: (error, message) => {
          if (error) return;
          answer(unpackMessage(message.data))
            .then((value) => message.reply && message.respond(packMessage(value)))
            .catch(() => {});
        },
      });
    },
    notify: (notice) => send(noticesSubject, notice),
    onNotified: (handle) => receive(noticesSubject, handle),
  };
}
