/**
 * Connects a gateway to the other gateways over core NATS: announcements, questions to one of them, and notices to all
 * of them. Messages are not stored and can be lost. Other users of a NATS server can send such messages too, so what
 * arrives may have any form.
 */
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { gather } from './gather.ts';
import { receiveMessages } from './messages.ts';
import { announcementSubject, memberSubject, noticesSubject } from './subjects.ts';

/** What gateways use to talk to each other. A gateway also receives its own announcements and notices. */
export interface Link {
  announce(id: string, announcement: unknown): void;
  /**
   * Announces a member and collects the replies of those that hear it, until `isEnough`, but not longer than `ms`
   * milliseconds. Returns at once if no one hears it.
   */
  greet(id: string, announcement: unknown, isEnough: (replies: unknown[]) => boolean, ms: number): Promise<unknown[]>;
  /** Receives announcements. What `handle` returns is the reply to a member that greets; undefined is no reply. */
  onAnnounced(handle: (announcement: unknown) => unknown): void;
  /** Rejects if the member does not answer within `ms` milliseconds. */
  ask(member: string, question: unknown, ms: number): Promise<unknown>;
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
  return {
    announce: (id, announcement) => send(announcementSubject(id), announcement),
    greet: async (id, announcement, isEnough, ms) => {
      if (!journal.connected()) return [];
      const replies: unknown[] = [];
      const until = (all: readonly Uint8Array[]): boolean => {
        replies.push(unpackMessage(all.at(-1) as Uint8Array));
        return isEnough(replies);
      };
      // If a reply cannot be read or the connection breaks, the next announcement introduces the member.
      await gather(journal, announcementSubject(id), packMessage(announcement), { ms, until }).catch(() => {});
      return replies;
    },
    onAnnounced: (handle) => {
      receiveMessages(connection, announcementSubject('*'), (announcement, message) => {
        const reply = handle(announcement);
        if (reply !== undefined && message.reply) message.respond(packMessage(reply));
      });
    },
    ask: async (member, question, ms) => {
      if (!journal.connected()) throw new Error('the journal is not connected');
      const reply = await connection.request(memberSubject(member), packMessage(question), { timeout: ms });
      return unpackMessage(reply.data);
    },
    onAsked: (member, answer) => {
      receiveMessages(connection, memberSubject(member), (question, message) => {
        answer(question)
          .then((value) => message.respond(packMessage(value)))
          // The connection is closing, or the question has no answer.
          .catch(() => {});
      });
    },
    notify: (notice) => send(noticesSubject, notice),
    onNotified: (handle) => void receiveMessages(connection, noticesSubject, handle),
  };
}
