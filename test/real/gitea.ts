/**
 * Runs a real Gitea server for one test, on a free port of 127.0.0.1, and uses its REST API. `TIDINGS_TEST_GITEA` is
 * the path of the Gitea program. If the program was built without embedded files, `TIDINGS_TEST_GITEA_FILES` must name
 * the folder that contains `templates`, `options` and `public`.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { afterwards } from '../helpers/cleanup.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Path of the Gitea program. If `TIDINGS_TEST_GITEA` is not set, the path is undefined and the tests are skipped. */
export const giteaProgram = process.env.TIDINGS_TEST_GITEA || undefined;

/**
 * Id of the user that runs Gitea when the test itself runs as root. Gitea refuses to run as root. On Debian, this id
 * belongs to the user `nobody`.
 */
const unprivileged = 65534;
const ownFiles = ['templates', 'options', 'public'];

/** A JSON reply of the host, of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
type Reply = any;

/** Ways to merge a pull request, by their names in Gitea's API. */
export type MergeStyle = 'merge' | 'rebase' | 'rebase-merge' | 'squash';

/**
 * Starts Gitea and creates an administrator and an API token. Gitea stops when the test ends.
 * @throws Error when no program is set
 */
export async function startGitea(t: TestContext): Promise<Gitea> {
  assert.ok(giteaProgram, 'TIDINGS_TEST_GITEA is not set');
  const folder = join(temporaryFolder(t), 'gitea');
  const port = await freePort();
  const asRoot = process.getuid?.() === 0;
  const program = prepare(folder, port, asRoot);
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GITEA_WORK_DIR: folder };
  const user = asRoot ? { uid: unprivileged, gid: unprivileged } : {};
  const log = openSync(join(folder, 'web.log'), 'a');
  const child = spawn(program, ['web'], { ...user, env, cwd: folder, stdio: ['ignore', log, log] });
  afterwards(t, () => stop(child));
  const origin = `http://127.0.0.1:${port}`;
  await waitUntil(`Gitea answers (${folder}/web.log)`, async () => {
    assert.equal(child.exitCode, null, `Gitea has ended: see ${folder}/web.log`);
    return (await fetch(`${origin}/api/healthz`).catch(() => undefined))?.ok;
  });
  const admin = (...args: string[]) =>
    execFileSync(program, ['admin', 'user', ...args], { ...user, env, cwd: folder, encoding: 'utf8' }).trim();
  const person = ['--username', 'boss', '--password', 'boss-password', '--email', 'boss@example.test'];
  admin('create', '--admin', ...person, '--must-change-password=false');
  const token = admin('generate-access-token', '--username', 'boss', '--scopes', 'all', '--raw');
  return new Gitea(origin, token);
}

/** Prepares Gitea's folder and returns the path of the program to start. */
function prepare(folder: string, port: number, asRoot: boolean): string {
  mkdirSync(join(folder, 'custom/conf'), { recursive: true });
  const files = process.env.TIDINGS_TEST_GITEA_FILES;
  if (files) for (const name of ownFiles) cpSync(join(files, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'custom/conf/app.ini'), configuration(folder, port, asRoot));
  if (!asRoot) return giteaProgram as string;
  // The unprivileged user may have no access to the original program, so the program is copied.
  const program = join(folder, 'program');
  copyFileSync(giteaProgram as string, program);
  chmodSync(program, 0o755);
  chmodSync(join(folder, '..'), 0o755);
  for (const path of [folder, join(folder, 'custom'), join(folder, 'custom/conf'), join(folder, 'custom/conf/app.ini')])
    chownSync(path, unprivileged, unprivileged);
  return program;
}

function configuration(folder: string, port: number, asRoot: boolean): string {
  const user = asRoot ? 'nobody' : execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  const sections: Record<string, Record<string, string>> = {
    '': { RUN_USER: user, WORK_PATH: folder },
    server: {
      HTTP_ADDR: '127.0.0.1',
      HTTP_PORT: String(port),
      ROOT_URL: `http://127.0.0.1:${port}/`,
      DISABLE_SSH: 'true',
      OFFLINE_MODE: 'true',
      ...(process.env.TIDINGS_TEST_GITEA_FILES && { STATIC_ROOT_PATH: folder }),
    },
    database: { DB_TYPE: 'sqlite3', PATH: join(folder, 'gitea.db') },
    repository: { ROOT: join(folder, 'repositories'), DEFAULT_BRANCH: 'main' },
    security: { INSTALL_LOCK: 'true', SECRET_KEY: 'a-key-of-one-test', PASSWORD_COMPLEXITY: 'off' },
    webhook: { ALLOWED_HOST_LIST: '127.0.0.1' },
    log: { LEVEL: 'warn', MODE: 'console' },
    service: { DISABLE_REGISTRATION: 'true' },
    actions: { ENABLED: 'false' },
    indexer: { ISSUE_INDEXER_TYPE: 'db' },
  };
  return Object.entries(sections)
    .flatMap(([name, values]) => [
      name && `[${name}]`,
      ...Object.entries(values).map(([key, value]) => `${key} = ${value}`),
      '',
    ])
    .join('\n');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** A running Gitea. Requests to its REST API are sent as the administrator `boss`. */
export class Gitea {
  readonly origin: string;
  readonly token: string;

  constructor(origin: string, token: string) {
    this.origin = origin;
    this.token = token;
  }

  /** Environment variables for a service whose host is this Gitea. */
  get env(): Record<string, string> {
    return { TIDINGS_HOST_ORIGIN: this.origin, TIDINGS_HOST_KIND: 'gitea', TIDINGS_HOST_TOKEN: this.token };
  }

  /**
   * Sends one request to Gitea's REST API and returns its JSON reply.
   * @param person who sends the request; default: `boss`
   * @throws Error when Gitea refuses the request
   */
  async api(method: string, path: string, body?: object, person = 'boss'): Promise<Reply> {
    const { status, text } = await this.request(method, path, body, person);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  private async request(method: string, path: string, body?: object, person = 'boss') {
    const response = await fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${this.token}`, 'content-type': 'application/json', sudo: person },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Returns the text of a file on the branch main. */
  async file(repository: string, path: string): Promise<string> {
    const { content } = await this.api('GET', `/repos/${repository}/contents/${path}?ref=main`);
    return Buffer.from(content, 'base64').toString('utf8');
  }

  /**
   * Adds a webhook for all repositories of an organization, with the events that `docs/hosts.md` lists. Returns the id
   * of the webhook.
   */
  async hook(organization: string, config: Record<string, string>): Promise<number> {
    const events = [
      ...['create', 'delete', 'push', 'repository', 'issues_only', 'issue_label', 'issue_comment'],
      ...['pull_request_only', 'pull_request_label', 'pull_request_comment', 'pull_request_sync'],
      ...['approved', 'rejected', 'comment'].map((kind) => `pull_request_review_${kind}`),
    ];
    const hook = { type: 'gitea', active: true, branch_filter: '*', events, config };
    return (await this.api('POST', `/orgs/${organization}/hooks`, hook)).id;
  }

  /** Opens a pull request that adds one file, and merges it. Returns the number of the pull request. */
  async mergePull(repository: string, title: string, style: MergeStyle, label?: number): Promise<number> {
    const { number } = await this.openPull(repository, title, label);
    await this.merge(repository, number, style);
    return number;
  }

  /** Opens a pull request that adds one file. Returns Gitea's reply. */
  async openPull(repository: string, title: string, label?: number): Promise<Reply> {
    const branch = `topic/${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
    await this.addFile(repository, `${branch.slice('topic/'.length)}.txt`, {
      ...{ branch: 'main', new_branch: branch, message: title },
    });
    const wanted = { title, head: branch, base: 'main', body: '', ...(label !== undefined && { labels: [label] }) };
    return this.api('POST', `/repos/${repository}/pulls`, wanted);
  }

  /** Commits one new file to a branch. */
  async addFile(repository: string, path: string, commit: { branch: string; message: string; new_branch?: string }) {
    const content = Buffer.from(`${commit.message}\n`).toString('base64');
    await this.api('POST', `/repos/${repository}/contents/${path}`, { ...commit, content });
  }

  /** Merges a pull request as soon as Gitea has checked that it has no conflicts. */
  async merge(repository: string, number: number, style: MergeStyle): Promise<void> {
    const path = `/repos/${repository}/pulls/${number}`;
    await waitUntil(`#${number} is merged`, async () => {
      if ((await this.api('GET', path)).mergeable !== true) return false;
      // Gitea replies 405 if it has begun to check the pull request again since.
      const { status, text } = await this.request('POST', `${path}/merge`, { Do: style });
      assert.ok(status === 200 || status === 405, `POST ${path}/merge: ${status} ${text}`);
      return status === 200;
    });
  }

  /** Protects a branch, so that only pull requests can change it. */
  async protect(repository: string, branch: string): Promise<void> {
    await this.api('POST', `/repos/${repository}/branch_protections`, { rule_name: branch, enable_push: false });
  }

  /** Tags the newest commit of the branch main. */
  async tag(repository: string, name: string): Promise<void> {
    await this.api('POST', `/repos/${repository}/tags`, { tag_name: name, target: 'main', message: name });
  }
}
