/**
 * Simulates commit statuses, check runs and comments of a test host, under the rules of GitHub or Gitea. GitHub accepts
 * check runs from apps only. Both hosts store each status, and the newest one of a name counts.
 */
import type { Reply } from './app.ts';
import * as gitea from './gitea.ts';
import type { History, HistoryRemark, Person } from './history.ts';
import type { HostKind } from './lists.ts';
import { issueCommentShape, type Place, type Shape } from './shapes.ts';

export interface Status {
  id: number;
  sha: string;
  context: string;
  state: string;
  description: string;
}

export interface CheckRun {
  id: number;
  name: string;
  head_sha: string;
  external_id: string;
  status: string;
  conclusion: string;
  output: { title: string; summary: string };
}

const notFound: Reply = { status: 404, body: { message: 'Not Found' } };
const states = {
  github: ['error', 'failure', 'pending', 'success'],
  gitea: ['error', 'failure', 'pending', 'success', 'warning'],
};
const conclusions = ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required'];
const limits = { description: 140, comment: 65_536, summary: 65_535 };
/** The accounts that write: the user of the token, and the bot of the app. */
const writers: Record<'token' | 'app', Person> = {
  token: { login: 'acme', id: 77 },
  app: { login: 'tidings-test[bot]', id: 901, bot: true },
};

export class Verdicts {
  /** All statuses, oldest first. */
  readonly statuses: Status[] = [];
  readonly checkRuns: CheckRun[] = [];
  private readonly history: History;
  private readonly kind: HostKind;
  private readonly place: () => Place;

  constructor(history: History, kind: HostKind, place: () => Place) {
    this.history = history;
    this.kind = kind;
    this.place = place;
  }

  /** The comments of the service on a pull request, oldest first. */
  own(number: number): HistoryRemark[] {
    const logins = Object.values(writers).map(({ login }) => login);
    return this.history.issueComments.filter(
      (remark) => remark.number === number && logins.includes(remark.author.login),
    );
  }

  /** Returns the verdicts that the host shows for a commit, each as its state and its line. */
  shown(sha: string): string[] {
    const runs = this.checkRuns.filter((run) => run.head_sha === sha);
    const latest = this.latest(sha);
    return [
      ...runs.map(({ conclusion, output }) => `${conclusion}: ${output.title}`),
      ...latest.map(({ state, description }) => `${state}: ${description}`),
    ];
  }

  /** Returns the answer to a GET; undefined for paths that another module answers. */
  read(rest: string, query: URLSearchParams): Reply | undefined {
    const [, sha = '', what = ''] = /^commits\/([0-9a-f]{40})\/(statuses|check-runs)$/.exec(rest) ?? [];
    if (what === 'statuses') return { status: 200, body: this.statusesOf(sha) };
    if (what === 'check-runs' && this.kind === 'github') {
      const name = query.get('check_name');
      const runs = this.checkRuns.filter((run) => run.head_sha === sha && (name === null || run.name === name));
      return { status: 200, body: { total_count: runs.length, check_runs: runs } };
    }
    const [, comment] = /^issues\/comments\/(\d+)$/.exec(rest) ?? [];
    if (comment !== undefined) return this.commentReply(Number(comment));
    const [, number] = /^issues\/(\d+)\/comments$/.exec(rest) ?? [];
    if (number === undefined) return undefined;
    const remarks = this.history.issueComments.filter((remark) => remark.number === Number(number));
    return { status: 200, body: remarks.map((remark) => this.comment(remark)) };
  }

  /** Returns the answer to a write; undefined for paths that another module answers. */
  write(method: string, rest: string, body: Shape, by: 'token' | 'app'): Reply | undefined {
    const [, sha] = /^statuses\/([0-9a-f]{40})$/.exec(rest) ?? [];
    if (sha !== undefined && method === 'POST') return this.addStatus(sha, body);
    const [isCheckRun, run] = /^check-runs(?:\/(\d+))?$/.exec(rest) ?? [];
    if (isCheckRun !== undefined && this.kind === 'github') {
      if (by !== 'app') return { status: 403, body: { message: 'You must authenticate via a GitHub App.' } };
      if (run === undefined && method === 'POST') return this.addCheckRun(body);
      if (run !== undefined && method === 'PATCH') return this.changeCheckRun(Number(run), body);
    }
    const [, number] = /^issues\/(\d+)\/comments$/.exec(rest) ?? [];
    if (number !== undefined && method === 'POST') return this.addComment(Number(number), body, writers[by]);
    const [, comment] = /^issues\/comments\/(\d+)$/.exec(rest) ?? [];
    return comment !== undefined && method === 'PATCH' ? this.changeComment(Number(comment), body) : undefined;
  }

  private latest(sha: string): Status[] {
    return [
      ...new Map(this.statuses.filter((status) => status.sha === sha).map((each) => [each.context, each])).values(),
    ];
  }

  /** Returns the statuses of a commit, newest first. */
  private statusesOf(sha: string): Shape[] {
    const statuses = this.statuses.filter((status) => status.sha === sha);
    return statuses.reverse().map((status) => this.statusShape(status));
  }

  /** Gitea calls the state of a status `status`. */
  private statusShape({ id, context, state, description }: Status): Shape {
    return { id, context, description, [this.kind === 'gitea' ? 'status' : 'state']: state };
  }

  private addStatus(sha: string, { context, state, description }: Shape): Reply {
    if (!states[this.kind].includes(String(state)))
      return invalid({ resource: 'Status', code: 'custom', field: 'state' });
    if (this.kind === 'github' && [...String(description)].length > limits.description)
      return invalid({ message: 'description is too long (maximum is 140 characters)' });
    const id = 7000 + this.statuses.length;
    const status = { id, sha, context: String(context), state: String(state), description: String(description) };
    this.statuses.push(status);
    return { status: 201, body: this.statusShape(status) };
  }

  private addCheckRun(sent: Shape): Reply {
    const fault = faultOfRun(sent);
    if (fault) return fault;
    const run = { id: 8000 + this.checkRuns.length, external_id: '', ...sent } as CheckRun;
    this.checkRuns.push(run);
    return { status: 201, body: { ...run } };
  }

  private changeCheckRun(id: number, sent: Shape): Reply {
    const run = this.checkRuns.find((candidate) => candidate.id === id);
    const fault = run ? faultOfRun({ ...run, ...sent }) : notFound;
    if (!run || fault) return fault ?? notFound;
    Object.assign(run, sent);
    return { status: 200, body: { ...run } };
  }

  private addComment(number: number, { body }: Shape, author: Person): Reply {
    if (!this.history.pulls.some((pull) => pull.number === number)) return notFound;
    if ([...String(body)].length > limits.comment) return invalid({ message: 'Body is too long (maximum is 65536)' });
    const at = Date.now() - (Date.now() % 1000);
    const remark = { id: 9_000_000 + this.history.issueComments.length, number, author, body: String(body) };
    this.history.issueComments.push({ ...remark, createdAt: at, updatedAt: at });
    return { status: 201, body: this.comment({ ...remark, createdAt: at, updatedAt: at }) };
  }

  private changeComment(id: number, { body }: Shape): Reply {
    const remark = this.history.issueComments.find((candidate) => candidate.id === id);
    if (remark) remark.body = String(body);
    return this.commentReply(id);
  }

  private commentReply(id: number): Reply {
    const remark = this.history.issueComments.find((candidate) => candidate.id === id);
    return remark ? { status: 200, body: this.comment(remark) } : notFound;
  }

  private comment(remark: HistoryRemark): Shape {
    const shape = this.kind === 'gitea' ? gitea.issueCommentShape : issueCommentShape;
    return shape(remark, this.history, this.place());
  }
}

function faultOfRun({ name, head_sha, conclusion, output }: Shape): Reply | undefined {
  const { title, summary } = (output ?? {}) as Partial<CheckRun['output']>;
  if (name === undefined || head_sha === undefined || !title || summary === undefined)
    return invalid({ message: 'a check run needs name, head_sha, title and summary' });
  if (!conclusions.includes(String(conclusion))) return invalid({ message: 'conclusion is not a possible value' });
  return summary.length > limits.summary ? invalid({ message: 'summary is too long' }) : undefined;
}

function invalid(error: Shape): Reply {
  return { status: 422, body: { message: 'Validation Failed', errors: [error] } };
}
