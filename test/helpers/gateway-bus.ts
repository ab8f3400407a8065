/**
 * Connects the gateways of a test within one process, in place of the journal's server. Messages are packed and
 * unpacked, and arrive in a later turn of the event loop. A gateway can be made silent.
 */
import { Homes } from '../../src/cluster/homes.ts';
import { Members } from '../../src/cluster/members.ts';
import { packMessage, unpackMessage } from '../../src/journal/codec.ts';
import type { Link } from '../../src/journal/link.ts';
import { quiet } from './journal.ts';

type Handle = (message: unknown) => unknown;

export class GatewayBus {
  /** Gateways that send and receive nothing. */
  readonly silent = new Set<string>();
  /** Number of questions that were asked. */
  questions = 0;
  private readonly announced = new Map<string, Handle>();
  private readonly notified = new Map<string, Handle>();
  private readonly asked = new Map<string, Handle>();

  link(self: string): Link {
    const broadcast = (handlers: ReadonlyMap<string, Handle>, message: unknown): void => {
      if (this.silent.has(self)) return;
      for (const [id, handle] of handlers) this.deliver(id, handle, message);
    };
    return {
      announce: (_, announcement) => broadcast(this.announced, announcement),
      onAnnounced: (handle) => void this.announced.set(self, handle),
      ask: async (member, question) => {
        this.questions += 1;
        const handle = this.asked.get(member);
        if (!handle || this.silent.has(member) || this.silent.has(self)) throw new Error('no answer');
        return copy(await this.deliver(member, handle, question));
      },
      tell: (member, message) => void this.deliver(member, this.asked.get(member) ?? (() => {}), message),
      onAsked: (member, answer) => void this.asked.set(member, answer),
      notify: (notice) => broadcast(this.notified, notice),
      onNotified: (handle) => void this.notified.set(self, handle),
    };
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
      setImmediate(() => {
        if (!this.silent.has(member)) resolve(handle(copy(message)));
      });
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
