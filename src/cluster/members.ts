/**
 * Keeps the list of live gateways. Each gateway announces itself every two seconds. A gateway counts as live while it
 * was heard within the last six seconds of the own monotonic clock. A gateway that stops says goodbye.
 */
import type { Link } from '../journal/link.ts';

/** What a gateway announces. `boot` identifies its process. `left` says that the gateway stops. */
interface Announcement {
  id: string;
  boot: string;
  left?: boolean;
}

const announceMs = 2000;
const liveMs = 6000;

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

  /** Begins to announce this gateway and to hear the others. */
  start(): void {
    this.hearOthers();
    this.announce();
    this.timer = setInterval(() => this.tick(), announceMs);
  }

  /** Announces this gateway if it is current, and removes those that were not heard for too long. */
  tick(): void {
    if (this.isCurrent()) this.announce();
    this.check();
  }

  /** Begins to hear the announcements of the others. */
  hearOthers(): void {
    this.link.onAnnounced((announcement) => this.hear(announcement as Announcement));
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

  /** Announces this gateway again, for example after the connection was broken. */
  announce(): void {
    this.link.announce(this.self, { id: this.self, boot: this.boot } satisfies Announcement);
  }

  /** Says goodbye. */
  stop(): void {
    clearInterval(this.timer);
    this.link.announce(this.self, { id: this.self, boot: this.boot, left: true } satisfies Announcement);
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

  private hear({ id, boot, left }: Announcement): void {
    if (id === this.self) return;
    const known = this.heard.get(id);
    if (left) {
      // The goodbye of an ended process can arrive after the first announcement of its successor.
      if (known?.boot === boot && this.heard.delete(id)) this.tellChange();
      return;
    }
    this.heard.set(id, { boot, at: this.now() });
    for (const callback of this.announced) callback(id);
    if (known?.boot === boot) return;
    // The other gateway is new, so it does not know this one yet.
    this.announce();
    this.tellChange();
  }

  private tellChange(): void {
    for (const callback of this.changed) callback();
  }
}
