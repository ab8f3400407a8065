/**
 * Connects the gateways of a test within one process, in place of the journal's server. Messages are packed and
 * unpacked, and arrive in a later turn of the event loop. A gateway can be made silent, or stand still for a while.
 */
import { Homes } from '../../src/cluster/homes.ts';
import { Members } from '../../src/cluster/members.ts';
import { packMessage, unpackMessage } from '../../src/journal/codec.ts';
import type { Link } from '../../src/journal/link.ts';
import { quiet } from './journal.ts';

type Handle = (message: unknown) => unknown;

export class GatewayBus {
  /** Gateways that send and receive nothing. The server knows that they are gone. */
  readonly silent = new Set<string>();
  /** Number of messages with questions that were sent. */
  questions = 0;
  private readonly announced = new Map<string, Handle>();
  private readonly notified = new Map<string, Handle>();
  private readonly asked = new Map<string, Handle>();
  /** The messages that wait for gateways that stand still. */
  private readonly still = new Map<string, (() => void)[]>();

  link(self: string): Link {
    const send = (handlers: ReadonlyMap<string, Handle>, message: unknown): Promise<unknown>[] => {
      const heard = [...handlers].filter(([id]) => !this.silent.has(id) && !this.silent.has(self));
      return heard.map(([id, handle]) => this.deliver(id, handle, message));
    };
    return {
      announce: (_, announcement) => void send(this.announced, announcement),
      greet: async (_, announcement, isEnough) => {
        const replies: unknown[] = [];
        const sent = send(this.announced, announcement);
        await new Promise<void>((resolve) => {
          const all = sent.map(async (reply) => {
            const found = await reply;
            if (found === undefined) return;
            replies.push(copy(found));
            if (isEnough(replies)) resolve();
          });
          void Promise.all(all).then(() => resolve());
        });
        return replies;
      },
      onAnnounced: (handle) => void this.announced.set(self, handle),
      ask: async (member, question) => {
        this.questions += 1;
        const handle = this.asked.get(member);
        if (!handle || this.silent.has(member) || this.silent.has(self)) throw new Error('no answer');
        return copy(await this.deliver(member, handle, question));
      },
      onAsked: (member, answer) => void this.asked.set(member, answer),
      notify: (notice) => void send(this.notified, notice),
      onNotified: (handle) => void this.notified.set(self, handle),
    };
  }

  /** Lets a gateway stand still: it receives its messages when it goes on. */
  stop(id: string): void {
    this.still.set(id, []);
  }

  /** Lets a gateway go on. */
  goOn(id: string): void {
    const waiting = this.still.get(id) ?? [];
    this.still.delete(id);
    for (const each of waiting) each();
  }

  /** Makes a group of gateways that know each other. */
  async group(
    ids: readonly string[],
    now = () => performance.now(),
    isCurrent?: (id: string) => boolean,
  ): Promise<{ members: Members; homes: Homes }[]> {
    const group = ids.map((id) => {
      const link = this.link(id);
      const members = new Members(link, id, `boot of ${id}`, { now, isCurrent: () => isCurrent?.(id) !== false });
      return { members, homes: new Homes({ members, link, logger: quiet, onAlone: () => {} }) };
    });
    for (const { members } of group) members.hearOthers();
    for (const { members } of group) members.announce();
    await turns();
    return group;
  }

  private deliver(member: string, handle: Handle, message: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      const arrive = (): void => {
        const waiting = this.still.get(member);
        if (waiting) waiting.push(arrive);
        else resolve(handle(copy(message)));
      };
      setImmediate(arrive);
    });
  }
}

/** Lets all messages arrive that are under way, and the answers to them. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

function copy(message: unknown): unknown {
  return unpackMessage(packMessage(message));
}
