/**
 * Keeps the list of live gateways. Each gateway announces itself every two seconds. A gateway counts as live while it
 * was heard within the last six seconds of the own monotonic clock. A gateway that stops says goodbye.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Link } from '../journal/link.ts';

const idSchema = Type.String({ pattern: '^[a-z0-9-]{1,40}$' });

/** What a gateway announces. `boot` identifies its process. A gateway that is not live only asks who the others are. */
const AnnouncementSchema = Type.Object({
  id: idSchema,
  boot: Type.String({ maxLength: 40 }),
  isLive: Type.Boolean(),
});
type Announcement = Static<typeof AnnouncementSchema>;
const announcements = TypeCompiler.Compile(AnnouncementSchema);

/** The reply to a gateway that greets: who replies, and whom it knows. */
const ReplySchema = Type.Object({ ...AnnouncementSchema.properties, knows: Type.Array(idSchema) });
type Reply = Static<typeof ReplySchema>;
const replies = TypeCompiler.Compile(ReplySchema);

const announceMs = 2000;
const liveMs = 6000;
/** Maximum time to wait for the replies to a greeting, in milliseconds. Only a gateway that hangs lets others wait. */
const greetMs = 1000;
/** Maximum number of other gateways. Announcements of more are made up. */
const maxMembers = 500;

export interface MembersOptions {
  /** Whether this gateway may serve the state that it reads. While it may not, it falls silent, and others count for it. */
  isCurrent?: () => boolean;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

export class Members {
  /** Name of this gateway: the name of its node and its number. A restarted gateway has the same name. */
  readonly self: string;
  private readonly boot: string;
  private readonly link: Link;
  private readonly isCurrent: () => boolean;
  private readonly now: () => number;
  private readonly heard = new Map<string, { boot: string; at: number }>();
  private readonly changed: (() => void)[] = [];
  private readonly announced: ((id: string) => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private checkedAt: number;

  /** @param boot random text that identifies this process */
  constructor(
    link: Link,
    self: string,
    boot: string,
    { isCurrent = () => true, now = () => performance.now() }: MembersOptions = {},
  ) {
    this.link = link;
    this.self = self;
    this.boot = boot;
    this.isCurrent = isCurrent;
    this.now = now;
    this.checkedAt = now();
  }

  /**
   * Begins to hear the others and, if this gateway is current, to announce it. Resolves when all live gateways know this
   * one, and this one knows them. A gateway that hangs is left out.
   */
  async start(): Promise<void> {
    // This question is sent before the subscription, because then the server reports at once if there are no others.
    const found = await this.greet((all) => all.length > 0);
    this.hearOthers();
    this.timer = setInterval(() => this.tick(), announceMs);
    if (found.length > 0) await this.join();
    else this.announce();
  }

  /** Introduces this gateway to all the others. Resolves when they know it. */
  async join(): Promise<void> {
    await this.greet((all) => {
      const replied = new Set(all.map(({ id }) => id));
      return all.every(({ knows }) => knows.every((id) => id === this.self || replied.has(id)));
    });
  }

  /** Announces this gateway, and removes those that were not heard for too long. */
  tick(): void {
    this.announce();
    this.check();
  }

  /** Begins to hear the announcements of the others. */
  hearOthers(): void {
    this.link.onAnnounced((announcement) => {
      if (announcements.Check(announcement) && announcement.id !== this.self) return this.hear(announcement);
      return undefined;
    });
  }

  /** Returns the names of all live gateways, including this one. */
  list(): readonly string[] {
    return [this.self, ...this.heard.keys()];
  }

  /** Registers a callback for each change of the list, and for each gateway that was restarted. */
  onChange(callback: () => void): void {
    this.changed.push(callback);
  }

  /** Registers a callback for each announcement of another gateway. */
  onHeard(callback: (id: string) => void): void {
    this.announced.push(callback);
  }

  /** Announces this gateway if it is current. */
  announce(): void {
    if (this.isCurrent()) this.link.announce(this.self, this.announcement(true));
  }

  /** Says goodbye. */
  stop(): void {
    clearInterval(this.timer);
    this.link.announce(this.self, this.announcement(false));
  }

  private announcement(isLive: boolean): Announcement {
    return { id: this.self, boot: this.boot, isLive };
  }

  private async greet(isEnough: (found: Reply[]) => boolean): Promise<Reply[]> {
    const known = (all: readonly unknown[]): Reply[] => all.filter((reply): reply is Reply => replies.Check(reply));
    const announcement = this.announcement(this.isCurrent());
    const all = known(await this.link.greet(this.self, announcement, (found) => isEnough(known(found)), greetMs));
    for (const reply of all) if (reply.id !== this.self) this.hear(reply);
    return all;
  }

  private check(): void {
    const now = this.now();
    const gap = now - this.checkedAt;
    this.checkedAt = now;
    // This process stood still, and the announcements of the others are still waiting to be read.
    const missed = Math.max(0, gap - announceMs);
    let changed = false;
    for (const [id, known] of this.heard) {
      known.at += missed;
      if (now - known.at <= liveMs) continue;
      this.heard.delete(id);
      changed = true;
    }
    if (changed) this.tellChange();
  }

  /** Notes an announcement of another gateway. Returns the reply to a greeting. */
  private hear({ id, boot, isLive }: Announcement): Reply {
    const known = this.heard.get(id);
    if (isLive && (known || this.heard.size < maxMembers)) {
      this.heard.set(id, { boot, at: this.now() });
      for (const callback of this.announced) callback(id);
      if (known?.boot !== boot) {
        // The other gateway is new, so it may not know this one yet.
        this.announce();
        this.tellChange();
      }
    }
    // The goodbye of an ended process can arrive after the first announcement of its successor.
    if (!isLive && known?.boot === boot && this.heard.delete(id)) this.tellChange();
    return { ...this.announcement(this.isCurrent()), knows: [...this.heard.keys()] };
  }

  private tellChange(): void {
    for (const callback of this.changed) callback();
  }
}
