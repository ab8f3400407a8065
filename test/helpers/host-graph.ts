/**
 * A repository that knows the parents of its commits, and tells of itself as GitHub or Gitea does: by pushes without parents,
 * cut short where the host cuts them, by pull requests and tags. What lies between two tags it knows for certain.
 */
import { createHash } from 'node:crypto';
import { pick, type Random } from './random.ts';

export interface GraphPull {
  number: number;
  base: string;
  head: string;
  tip: string;
  /** Its merge commit; undefined until it is merged. */
  sha?: string;
}

/** A delivery. */
export interface Told {
  event: string;
  body: { repository: { id: number } };
}

const none = '0'.repeat(40);
const start = Date.UTC(2026, 0, 5) / 1000;

export class HostGraph {
  readonly told: Told[] = [];
  readonly branches = new Map<string, string>();
  readonly pulls: GraphPull[] = [];
  readonly tags = new Map<string, string>();
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

  /** Reachable from one commit and not from the other, parents first. */
  between(from: readonly string[], to: string): string[] {
    const excluded = new Set(from.flatMap((sha) => [...this.ancestors(sha)]));
    const order = [...this.parents.keys()];
    const found = [...this.ancestors(to)].filter((sha) => !excluded.has(sha));
    return found.length < 2 ? found : found.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  }

  /** Numbers of the merged pull requests that the commits between two bring, by merge commit or by subject. */
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
    // Every third comes from a fork, whose pushes are told to the fork.
    if (!this.branches.has(head) && this.random(3) > 0) this.push(head, tip);
    this.tell('pull_request', { action: 'opened', number: pull.number, pull_request: this.pullShape(pull) });
    return pull;
  }

  /** What a pull request leaves on `onto` when it is merged by squashing, rebasing or a merge commit, titled or not. */
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
    this.tell('pull_request', { action: 'closed', number: pull.number, pull_request: this.pullShape(pull) });
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
      return this.tell('push', { ...common, total_commits: all.length, commits });
    }
    const commits = this.between(before === undefined ? others : [before], after).map((sha) => this.shape(sha));
    const created = before === undefined;
    this.tell('push', { ...common, created, deleted: false, forced: isForced, base_ref: null, commits });
  }

  /** Makes or moves a tag, annotated or not; its create event comes before or after the push. */
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
    for (const [event, body] of this.random(2) === 0 ? events : events.reverse()) this.tell(event, body);
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
    return { ...shape, user: { login: 'ada' }, labels: [], merge_commit_sha: test, ...merged };
  }

  private tell(event: string, body: object): void {
    const full_name = `acme/r${this.id}`;
    const times = this.kind === 'github' && { pushed_at: this.now };
    const repository = { id: this.id, full_name, default_branch: this.defaultBranch, owner: { login: 'acme', id: 9 } };
    this.told.push({ event, body: { ...body, repository: { ...repository, ...times } } });
  }
}
