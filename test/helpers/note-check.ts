/**
 * Runs the release note check of a service at a test host: a host with an open pull request, the deliveries about it,
 * and the verdicts that the service has written.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { theRepository } from './backfill.ts';
import { TestApp } from './host/app.ts';
import { addPull, buildHistory } from './host/build.ts';
import type { HistoryPull } from './host/history.ts';
import { startHost, type TestHost } from './host/server.ts';
import { issueCommentShape, pullAsIssueShape, pullShape, repositoryShape, userShape } from './host/shapes.ts';
import { temporaryFolder } from './ports.ts';
import { startService, type TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

const small = { TIDINGS_PARTITIONS: '1', TIDINGS_RENDER_THREADS: '1', TIDINGS_TAG_SYNC_HOURS: '0' };
const noteCheck = { mode: 'require', need: ['note'], noteFor: ['feature'], comment: true };

/** The credentials that write to the host: a token or an app on GitHub, or a token on Gitea. */
export type Writer = 'token' | 'app' | 'gitea';
/** Number of the first pull request. */
export const number = 47;
/** Commits of the first pull request, in the order of their pushes. */
export const shas = ['c'.repeat(40), 'd'.repeat(40)] as const;
/** The verdict about a feature without a release note. */
export const missing = 'failure: Missing: a release note. Comment /note TEXT.';

/** A host with an open pull request, and a service that is connected to it. */
export class CheckStage {
  readonly host: TestHost;
  readonly service: TestService;
  /** The pull request that is delivered unless another one is named. */
  readonly pull: HistoryPull;
  private at = Date.UTC(2026, 0, 10);

  private constructor(host: TestHost, service: TestService, pull: HistoryPull) {
    this.host = host;
    this.service = service;
    this.pull = pull;
  }

  static async start(t: TestContext, writer: Writer, env: Record<string, string> = {}): Promise<CheckStage> {
    const history = buildHistory();
    const pull = addFeature(history, number, shas[0]);
    const app = writer === 'app' ? new TestApp(temporaryFolder(t)) : undefined;
    const kind = writer === 'gitea' ? ('gitea' as const) : ('github' as const);
    const host = await startHost(t, history, app ? { kind, app } : { kind, token: 'secret-token' });
    const service = await startService(t, { env: { ...small, ...host.env, ...env } });
    const stage = new CheckStage(host, service, pull);
    if (app) {
      const installation = { id: Number(app.installationId), account: { login: 'acme', id: 77 } };
      const repositories = [{ id: history.id, full_name: history.fullName }];
      await service.deliver('installation', { action: 'created', installation, repositories });
    }
    return stage;
  }

  /** Turns the check on. The repository appears with its first delivery. */
  async turnOn(fields: object = {}): Promise<string> {
    const repoId = await theRepository(this.service);
    const put = await this.service.api('PUT', `/api/repos/${repoId}/settings`, {
      noteCheck: { ...noteCheck, ...fields },
    });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    return repoId;
  }

  /** Delivers an event of a pull request. */
  async deliver(action: string, fields: Partial<HistoryPull> = {}, pull = this.pull): Promise<void> {
    const { history, place } = this.host;
    Object.assign(pull, fields, { updatedAt: this.now() });
    const shape = { ...pullShape(pull, history, place), merged: pull.mergedAt !== null };
    const payload = { action, number: pull.number, pull_request: shape, repository: repositoryShape(history, place) };
    await this.service.deliver('pull_request', { ...payload, sender: userShape(pull.author) });
  }

  /** Adds a pull request to the host and delivers that it was opened. */
  async open(number: number, headSha: string): Promise<HistoryPull> {
    const pull = addFeature(this.host.history, number, headSha);
    await this.deliver('opened', {}, pull);
    return pull;
  }

  /** Delivers a comment on the pull request by a member. */
  async comment(id: number, body: string): Promise<void> {
    const { history, place } = this.host;
    const at = this.now();
    const author = { login: 'acme', id: 77 };
    const remark = { id, number, author, body, createdAt: at, updatedAt: at };
    const comment = { ...issueCommentShape(remark, history, place), author_association: 'MEMBER' };
    const issue = pullAsIssueShape(this.pull, history, place);
    await this.service.deliver('issue_comment', {
      action: 'created',
      comment,
      issue,
      repository: repositoryShape(history, place),
    });
  }

  /** Waits for the verdict about a commit. */
  shown(sha: string): Promise<string> {
    return waitUntil(`a verdict about ${sha.slice(0, 8)}`, () => this.host.verdicts.shown(sha).at(-1));
  }

  /** Number of checks that have ended. */
  ended(): Promise<number> {
    return this.service.metric('tidings_note_checks_total');
  }

  /** Waits until another check has ended. */
  async anotherEnds(before: number): Promise<void> {
    await waitUntil('another check has ended', async () => (await this.ended()) > before);
  }

  /** Returns the next time of the host, one minute after the last one. */
  now(): number {
    this.at += 60_000;
    return this.at;
  }
}

/** Adds an open pull request with a feature and without a release note. */
function addFeature(history: TestHost['history'], number: number, headSha: string): HistoryPull {
  addPull(history, number);
  const pull = history.pulls.find((each) => each.number === number) ?? assert.fail();
  const open = { closedAt: null, mergedAt: null, mergeSha: null };
  return Object.assign(pull, { title: 'feat: add skis', body: 'Skis.', labels: [], headSha, ...open });
}
