/**
 * Simulates a repository on GitHub or Gitea. It sends the same events as the host: pull requests, tags and pushes. A
 * push does not contain the parents of its commits, and its list of commits may be shortened. The simulation also knows
 * the whole commit graph, so that a test can compute exactly which commits are between two tags.
 */

import { createHash } from 'node:crypto';
import { ulid } from '../../src/foundation/ids.ts';
import { toEvents } from '../../src/intake/events.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import { pick, type Random } from './random.ts';

export interface GraphPull {
  number: number;
  base: string;
  head: string;
  tip: string;
  /** The commit on the base branch that merged the pull request; undefined until the merge. */
  sha?: string;
}

/** A webhook delivery that the host sends. */
export interface HostDelivery {
  event: string;
  body: { repository: { id: number } };
}

const none = '0'.repeat(40);
const start = Date.UTC(2026, 0, 5) / 1000;

export class HostGraph {
  readonly deliveries: HostDelivery[] = [];
  readonly branches = new Map<string, string>();
  readonly pulls: GraphPull[] = [];
  readonly tags = new Map<string, string>();
  /** Fields of pull requests that differ from the usual ones, such as their titles and labels, by number. */
  readonly words = new Map<number, object>();
  defaultBranch = 'main';
  private readonly parents = new Map<string, string[]>();
  private readonly subjects = new Map<string, string>();
  private readonly ancestry = new Map<string, ReadonlySet<string>>();
  private readonly id: number;
  private readonly kind: 'github' | 'gitea';
  private readonly random: Random;
  private now = start;
  private movedTo = new Map<string, string>();

  constructor(id: number, kind: 'github' | 'gitea', random: Random) {
    this.id = id;
    this.kind = kind;
    this.random = random;
    this.push(this.defaultBranch, this.commit([], 'Start'));
    this.tag('v0', this.head());
  }

  head(branch = this.defaultBranch): string {
    return this.branches.get(branch) as string;
  }

  commit(parents: string[], subject: string): string {
    const sha = createHash('sha1').update(`${this.id} ${this.parents.size} ${subject}`).digest('hex');
    this.parents.set(sha, parents);
    this.subjects.set(sha, subject);
    return sha;
  }

  line(from: string, count: number): string {
    let last = from;
    for (let i = 0; i < count; i++) last = this.commit([last], 'Work');
    return last;
  }

  ancestors(sha: string): ReadonlySet<string> {
    const known = this.ancestry.get(sha);
    if (known) return known;
    const found = new Set<string>();
    const open = [sha];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(this.parents.get(next) ?? []));
    }
    this.ancestry.set(sha, found);
    return found;
  }

  /**
   * Returns the commits that are reachable from `to` but not from any commit of `from`. Parents come before children.
   */
  between(from: readonly string[], to: string): string[] {
    const excluded = new Set(from.flatMap((sha) => [...this.ancestors(sha)]));
    const order = [...this.parents.keys()];
    const found = [...this.ancestors(to)].filter((sha) => !excluded.has(sha));
    return found.length < 2 ? found : found.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  }

  /**
   * Returns the numbers of the merged pull requests between two commits. A commit belongs to a pull request if it is
   * the pull request's merge commit, or if its subject contains the pull request's number.
   */
  broughtBetween(from: string, to: string): number[] {
    const numbers = this.between([from], to).flatMap((sha) => {
      const own = this.pulls.filter((pull) => pull.sha === sha).map(({ number }) => number);
      const subject = this.subjects.get(sha) ?? '';
      const named = /^Merge pull request #(\d+) |\(#(\d+)\)(?:$| from )/.exec(subject);
      const number = Number(named?.[1] ?? named?.[2] ?? 0);
      const isMerged = this.pulls.some((pull) => pull.number === number && pull.sha !== undefined);
      return own.length > 0 ? own : isMerged ? [number] : [];
    });
    return [...new Set(numbers)].sort((a, b) => a - b);
  }

  open(base: string, tip: string, head = `topic-${this.pulls.length + 1}`): GraphPull {
    const pull: GraphPull = { number: this.pulls.length + 1, base, head, tip };
    this.pulls.push(pull);
    // One third of the pull requests are opened from forks. The host sends no push events for forks.
    if (!this.branches.has(head) && this.random(3) > 0) this.push(head, tip);
    this.deliver('pull_request', { action: 'opened', number: pull.number, pull_request: this.pullShape(pull) });
    return pull;
  }

  /**
   * Merges a pull request on top of the commit `onto`: by squash, rebase or merge commit, with or without the number in
   * the subject. Returns the last new commit.
   */
  mergeCommit({ number, tip, head }: GraphPull, onto: string): string {
    const own = this.between([onto], tip).filter((sha) => this.parents.get(sha)?.length === 1);
    const way = this.random(4);
    if (way === 0) return this.commit([onto], `Change (#${number})`);
    if (way === 1 && own.length > 0) return this.line(onto, own.length);
    const named = this.kind === 'gitea' ? `Merge pull request 'Change' (#${number}) from ${head} into x` : undefined;
    return this.commit(
      [onto, tip],
      named ?? (way === 2 ? `Change (#${number})` : `Merge pull request #${number} from a/b`),
    );
  }

  close(pull: GraphPull, sha: string): void {
    pull.sha = sha;
    this.deliver('pull_request', { action: 'closed', number: pull.number, pull_request: this.pullShape(pull) });
  }

  /** Sends a pull request again after its words have changed. */
  edit(pull: GraphPull, action: string): void {
    this.deliver('pull_request', { action, number: pull.number, pull_request: this.pullShape(pull) });
  }

  /** Sends an issue or a comment. The host gives it the current time. */
  send(event: string, bodyAt: (time: string) => object): void {
    this.now += 1;
    this.deliver(event, bodyAt(new Date(this.now * 1000).toISOString()));
  }

  push(branch: string, after: string): void {
    const before = this.branches.get(branch);
    this.branches.set(branch, after);
    if (before === after) return;
    this.now += 60;
    const others = [...this.branches].flatMap(([name, sha]) => (name === branch ? [] : [sha]));
    const isForced = before !== undefined && !this.ancestors(after).has(before);
    const common = { ref: `refs/heads/${branch}`, before: before ?? none, after };
    if (this.kind === 'gitea') {
      const all = before === undefined ? this.between([], after).slice(-10) : this.between([before], after);
      const commits = all
        .slice(-5)
        .reverse()
        .map((sha) => this.shape(sha));
      return this.deliver('push', { ...common, total_commits: all.length, commits });
    }
    const commits = this.between(before === undefined ? others : [before], after).map((sha) => this.shape(sha));
    const created = before === undefined;
    this.deliver('push', { ...common, created, deleted: false, forced: isForced, base_ref: null, commits });
  }

  /** Makes or moves a tag, annotated or not. The create event is sent before or after the push event, at random. */
  tag(name: string, sha: string): void {
    const isAnnotated = this.random(2) === 0;
    const object = isAnnotated ? createHash('sha1').update(`${name} ${sha}`).digest('hex') : sha;
    const before = this.movedTo.get(name) ?? none;
    this.now += 60;
    const pushed = { ref: `refs/tags/${name}`, before: this.kind === 'gitea' ? none : before, after: object };
    const events: [string, object][] = [
      ['push', { ...pushed, commits: [], head_commit: this.shape(sha) }],
      ['create', { ref: name, ref_type: 'tag', ...(this.kind === 'gitea' && { sha: object }) }],
    ];
    for (const [event, body] of this.random(2) === 0 ? events : events.reverse()) this.deliver(event, body);
    this.tags.set(name, sha);
    this.movedTo.set(name, object);
  }

  pickTag(): string {
    return pick(this.random, [...this.tags.keys()]);
  }

  private shape(sha: string): object {
    const timestamp = new Date(this.now * 1000).toISOString();
    return { id: sha, message: this.subjects.get(sha), timestamp, author: { username: 'ada' } };
  }

  private pullShape({ number, base, head, sha }: GraphPull): object {
    this.now += 1;
    const time = new Date(this.now * 1000).toISOString();
    const merged = sha !== undefined && { merged: true, merged_at: time, merge_commit_sha: sha };
    const state = merged ? 'closed' : 'open';
    const test = createHash('sha1').update(`test merge ${number}`).digest('hex');
    const shape = { number, title: 'Change', state, updated_at: time, base: { ref: base }, head: { ref: head } };
    const own = this.words.get(number);
    return { ...shape, user: { login: 'ada' }, labels: [], ...own, merge_commit_sha: test, ...merged };
  }

  private deliver(event: string, body: object): void {
    const full_name = `acme/r${this.id}`;
    const times = this.kind === 'github' && { pushed_at: this.now };
    const repository = { id: this.id, full_name, default_branch: this.defaultBranch, owner: { login: 'acme', id: 9 } };
    this.deliveries.push({ event, body: { ...body, repository: { ...repository, ...times } } });
  }
}

/**
 * Returns the records of deliveries, as the receiver makes them. They arrive one second apart.
 * @param from position of the first delivery; earlier ones are left out, but count for the times
 */
export function recordsOf(deliveries: readonly HostDelivery[], from: number): EventRecord[] {
  return deliveries.slice(from).flatMap(({ event, body }, i): EventRecord[] => {
    const at = Date.UTC(2026, 6, 1) + (from + i) * 1000;
    const events = toEvents(event, body, 'https://github.com', at);
    return (events?.bodies ?? []).map((one, part) => ({
      ...{ id: ulid(), at, kind: 'event', delivery: `${body.repository.id} ${from + i}`, source: '', part, body: one },
      repository: (events as NonNullable<typeof events>).repository,
    }));
  });
}
