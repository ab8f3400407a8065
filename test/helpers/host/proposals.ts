/**
 * Simulates pull requests of a test host, under the rules of GitHub or Gitea. The test host refuses a second open pull
 * request for the same branches, a pull request from a missing branch and one without a change. GitHub lists pull
 * requests by their head, and Gitea returns one pull request for two branches.
 */
import type { Reply } from './app.ts';
import * as gitea from './gitea.ts';
import { type History, type HistoryPull, reachable } from './history.ts';
import type { HostKind } from './lists.ts';
import type { Publishing } from './publishing.ts';
import { type Place, pullShape, type Shape } from './shapes.ts';

/** The ways in which hosts merge a pull request. `rebase` also includes a fast-forward. */
export type MergeStyle = 'merge' | 'squash' | 'rebase';

const notFound: Reply = { status: 404, body: { message: 'Not Found' } };
const maxTitleLength = { github: 256, gitea: 255 };

export class Proposals {
  private readonly history: History;
  private readonly kind: HostKind;
  private readonly place: () => Place;
  private readonly publishing: Publishing;

  constructor(history: History, kind: HostKind, place: () => Place, publishing: Publishing) {
    this.history = history;
    this.kind = kind;
    this.place = place;
    this.publishing = publishing;
  }

  /** The pull requests from branches of the service. */
  get own(): HistoryPull[] {
    return this.history.pulls.filter(({ head }) => head.startsWith('tidings/'));
  }

  /** Removes the pull requests and branches of the service, as if it had never published. */
  removeOwn(): void {
    const { pulls, branches } = this.history;
    pulls.splice(0, Infinity, ...pulls.filter(({ head }) => !head.startsWith('tidings/')));
    for (const name of [...branches.keys()]) if (name.startsWith('tidings/')) branches.delete(name);
  }

  /** Returns the answer to a GET below `pulls`; undefined for paths that another module answers. */
  read(names: readonly string[], query: URLSearchParams): Reply | undefined {
    const head = query.get('head');
    if (this.kind === 'github') {
      if (names.length > 0 || head === null) return undefined;
      const [owner, branch] = [head.slice(0, head.indexOf(':')), head.slice(head.indexOf(':') + 1)];
      const state = query.get('state') ?? 'open';
      const found = this.history.pulls.filter(
        (pull) =>
          owner === this.history.owner.login &&
          pull.head === branch &&
          (state === 'all' || (pull.closedAt === null) === (state === 'open')),
      );
      return { status: 200, body: found.reverse().map((pull) => this.shape(pull)) };
    }
    const [base, ...rest] = names;
    if (rest.length === 0 || /^\d+$/.test(base ?? '')) return undefined;
    const found = this.history.pulls.find((pull) => pull.base === base && pull.head === rest.join('/'));
    return found ? { status: 200, body: this.shape(found) } : notFound;
  }

  create({ head, base, title, body }: Shape): Reply {
    const { branches, pulls, issues, owner } = this.history;
    if (!branches.has(String(head)) || !branches.has(String(base)))
      return this.kind === 'gitea' ? notFound : invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' });
    const isTaken = pulls.some((pull) => pull.closedAt === null && pull.head === head && pull.base === base);
    if (isTaken && this.kind === 'gitea')
      return { status: 409, body: { message: `pull request already exists for these targets [head_branch: ${head}]` } };
    if (isTaken) return invalid({ message: `A pull request already exists for ${owner.login}:${head}.` });
    if (branches.get(String(head)) === branches.get(String(base)))
      return invalid({ message: `No commits between ${base} and ${head}` });
    const fault = this.titleFault(title);
    if (fault) return fault;
    const at = this.nextTime();
    const pull: HistoryPull = {
      ...{ number: Math.max(...[...pulls, ...issues].map(({ number }) => number)) + 1, author: owner, labels: [] },
      ...{ title: String(title), body: String(body), head: String(head), base: String(base) },
      ...{ createdAt: at, updatedAt: at, closedAt: null, mergedAt: null, mergeSha: null },
    };
    pulls.push(pull);
    return { status: 201, body: this.shape(pull) };
  }

  change(number: number, { title, body, state }: Shape): Reply {
    const pull = this.history.pulls.find((candidate) => candidate.number === number);
    if (!pull) return notFound;
    const fault = this.titleFault(title ?? pull.title);
    if (fault) return fault;
    const at = this.nextTime();
    if (title !== undefined) pull.title = String(title);
    if (body !== undefined) pull.body = String(body);
    if (state !== undefined) pull.closedAt = state === 'closed' ? at : null;
    pull.updatedAt = at;
    return { status: 200, body: this.shape(pull) };
  }

  /** Closes a pull request without a merge. */
  close(number: number): void {
    this.change(number, { state: 'closed' });
  }

  /** Merges a pull request with the messages that the host proposes by default. */
  merge(number: number, style: MergeStyle): HistoryPull {
    const pull = this.history.pulls.find((candidate) => candidate.number === number) as HistoryPull;
    const { head, base, title, body } = pull;
    const tip = this.history.branches.get(head) as string;
    const message = this.history.commits.get(tip)?.message ?? '';
    const on = `Reviewed-on: ${this.place().origin}/${this.history.fullName}/pulls/${number}`;
    const isGitea = this.kind === 'gitea';
    this.publishing.copyFiles(head, base);
    pull.mergeSha = this.publishing.advance(
      base,
      {
        merge: isGitea
          ? `Merge pull request '${title}' (#${number}) from ${head} into ${base}\n\n${on}`
          : `Merge pull request #${number} from ${this.history.owner.login}/${head}\n\n${title}`,
        squash: isGitea ? `${title} (#${number})\n\n${body}\n\n${on}` : message.replace('\n', ` (#${number})\n`),
        rebase: message,
      }[style],
      style === 'merge' ? this.commitsOf(head, base) : [],
    );
    pull.mergedAt = this.nextTime();
    pull.closedAt = pull.mergedAt;
    pull.updatedAt = pull.mergedAt;
    return pull;
  }

  /** Returns the commits of a branch that another branch does not have, oldest first. */
  private commitsOf(head: string, base: string): string[] {
    const of = (branch: string) => reachable(this.history, this.history.branches.get(branch) as string);
    const before = new Set(of(base).map(({ sha }) => sha));
    return of(head)
      .map(({ sha }) => sha)
      .filter((sha) => !before.has(sha))
      .reverse();
  }

  private titleFault(title: unknown): Reply | undefined {
    const max = maxTitleLength[this.kind];
    if ([...String(title)].length <= max) return undefined;
    return invalid({ resource: 'Issue', field: 'title', message: `title is too long (maximum is ${max} characters)` });
  }

  /** Returns a time after every event of the history, in whole seconds. */
  private nextTime(): number {
    const { commits, pulls } = this.history;
    const times = [...[...commits.values()].map(({ at }) => at), ...pulls.map(({ updatedAt }) => updatedAt)];
    return Math.max(...times) + 1000;
  }

  private shape(pull: HistoryPull): Shape {
    return (this.kind === 'gitea' ? gitea.pullShape : pullShape)(pull, this.history, this.place());
  }
}

function invalid(error: Shape): Reply {
  return { status: 422, body: { message: 'Validation Failed', errors: [error] } };
}
