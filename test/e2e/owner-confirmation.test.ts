/**
 * Tests which credentials are used for which repository. A tenant can sign any payload with its own secret. Such a
 * payload does not let the tenant reach a repository of another organization through the operator's credentials. The
 * real owner can reach its own repositories.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ended } from '../helpers/backfill.ts';
import { TestApp } from '../helpers/host/app.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost, type TestHostOptions } from '../helpers/host/server.ts';
import { pullPayload, repositoryPayload, tagPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small = {
  TIDINGS_PARTITIONS: '2',
  TIDINGS_WORKERS: '1',
  TIDINGS_RENDER_THREADS: '1',
  // A synchronization of tags asks the host for the owner too, so it could confirm a new name before a test expects it.
  TIDINGS_TAG_SYNC_HOURS: '0',
};
const acme = { login: 'acme', id: 77 };
const victim = { login: 'victimcorp', id: 88 };
const token = 'secret-token';

/** An organization with its own key, and with a webhook secret that was made with this key. */
class Tenant {
  readonly service: TestService;
  readonly key: string;
  private readonly secret: string;

  private constructor(service: TestService, key: string, secret: string) {
    this.service = service;
    this.key = key;
    this.secret = secret;
  }

  static async join(service: TestService, org: string): Promise<Tenant> {
    const { key } = (await service.api('POST', '/api/keys', { name: org, org })).body;
    const made = await service.api('POST', '/api/webhook-secrets', {}, key);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return new Tenant(service, key, made.body.secret);
  }

  api(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.service.api(method, path, body, this.key);
  }

  /** Sends a delivery that is signed with the tenant's secret. Returns the status of the reply. */
  async deliver(event: string, payload: unknown): Promise<number> {
    const digest = createHmac('sha256', this.secret).update(JSON.stringify(payload)).digest('hex');
    return (await this.service.deliver(event, payload, { 'x-hub-signature-256': `sha256=${digest}` })).status;
  }

  async repositories(): Promise<Answer['body'][]> {
    return (await this.api('GET', '/api/repos?limit=100')).body.repos;
  }

  /** Waits until the first repository that the tenant can see meets a condition, and returns that repository. */
  repository(is: (repository: Answer['body']) => boolean = () => true): Promise<Answer['body']> {
    return waitUntil('the repository is as expected', async () => {
      const [repository] = await this.repositories();
      return repository && is(repository) && repository;
    });
  }

  /**
   * Starts a backfill and waits for its end. Returns the last state of the backfill. If the service refuses to start
   * the backfill, returns the refusal.
   */
  async backfill(repoId: string): Promise<Answer['body']> {
    const { status, body } = await this.api('POST', `/api/repos/${repoId}/backfill`, {});
    return status === 202 ? ended(this.service, repoId) : body;
  }

  /** Makes a draft of a range between two tags and publishes the draft. Returns the outcome. */
  async publish(repoId: string, channel: string, tags: [string, string]): Promise<Answer['body']> {
    const [fromTag, toTag] = tags;
    const range = await this.api('POST', '/api/ranges', { repoId, type: 'TAG_BASED', fromTag, toTag });
    assert.equal(range.status, 201, JSON.stringify(range.body));
    const draft = await generateDraft(this.service, range.body.id);
    const { status, body } = await this.api('POST', '/api/publish', { draftId: draft.id, channel });
    return status === 201 ? publicationEnded(this.service, body.id) : body;
  }
}

/**
 * Starts a service and a host for which the service has credentials. The host has one private repository, which belongs
 * to the victim unless `owner` is another account.
 */
async function start(t: TestContext, options: TestHostOptions = { token }, owner = victim) {
  const id = owner === victim ? 5005 : 4711;
  const fullName = owner === victim ? 'victimcorp/private' : 'acme/rocket';
  const history = buildHistory({ id, fullName });
  history.owner = { ...history.owner, ...owner };
  const host = await startHost(t, history, options);
  const service = await startService(t, { env: { ...small, ...host.env } });
  return { host, service };
}

/** Returns the repository fields of a payload in which the tenant acme claims the repository with the number `id`. */
function claimed(id: number, fields: object = {}) {
  return repositoryPayload({ id, full_name: 'acme/ghost', owner: acme, ...fields });
}

test('a claimed number reads nothing of the repository that has the number', async (t) => {
  const { host, service } = await start(t);
  const tenant = await Tenant.join(service, 'acme');
  const event = { action: 'edited', repository: { ...claimed(5005), updated_at: '2099-01-01T00:00:00Z' } };
  assert.equal(await tenant.deliver('repository', event), 202);
  const { id } = await tenant.repository();
  const outcome = await tenant.backfill(id);
  assert.match(outcome.error, /does not confirm that this repository belongs to its organization/);
  const { body } = await tenant.api('GET', `/api/repos/${id}`);
  assert.equal(body.ownerConfirmed, false);
  assert.match(body.ownerUnconfirmedReason, /does not confirm/);
  assert.deepEqual(host.asked(/^(?!GET \S*\/repositories\/5005$)/), [], 'only the owner is requested');
  assert.ok(!JSON.stringify(await tenant.repositories()).includes('victimcorp'));
  assert.ok((await service.metric('tidings_owner_confirmations_total\\{outcome="owner"\\}')) > 0);
  assert.match(service.log, /the host does not confirm the owner of a repository.*/);
  assert.match((await service.run('doctor')).output, /! owner of acme\/ghost .*the host reports another owner/);
});

test('a claimed name writes nothing to the repository that has the name', async (t) => {
  const { host, service } = await start(t);
  const tenant = await Tenant.join(service, 'acme');
  const stolen = { id: 1001, full_name: 'victimcorp/private', owner: { ...acme, login: 'victimcorp' } };
  const own = { id: 1001, full_name: 'acme/rocket', owner: acme };
  for (const repository of [own, stolen]) {
    const payloads: [string, object][] = [
      ['pull_request', pullPayload(1, {}, repository)],
      ['pull_request', pullPayload(2, {}, repository)],
      ['push', { ...tagPayload('v1.0.0', 1), repository: repositoryPayload(repository) }],
      ['push', { ...tagPayload('v1.1.0', 2), repository: repositoryPayload(repository) }],
    ];
    for (const [event, payload] of payloads) assert.equal(await tenant.deliver(event, payload), 202);
    await tenant.repository();
  }
  const { id, fullName } = await tenant.repository();
  // A range between two tags is refused until both tags are folded.
  await waitUntil('both tags are listed', async () => {
    return (await tenant.api('GET', `/api/repos/${id}/tags`)).body.total === 2;
  });
  // The directory received both names, in either order. The name in the reply must begin with the tenant's own login
  // (`acme/`), not with the victim's login.
  assert.match(fullName, /^acme\//, 'the claimed login is not used');
  for (const channel of ['changelog', 'releases_md', 'scm_releases']) {
    const outcome = await tenant.publish(id, channel, ['v1.0.0', 'v1.1.0']);
    assert.notEqual(outcome.status, 'completed');
    assert.match(JSON.stringify(outcome), /does not confirm/);
  }
  assert.deepEqual(host.asked(/victimcorp|^(PUT|POST|PATCH)/), []);
});

test('the name from the host is used, not names in deliveries', async (t) => {
  const { host, service } = await start(t, { token }, acme);
  host.history.releases.length = 0;
  const tenant = await Tenant.join(service, 'acme');
  // The delivery has the number of the tenant's own repository, but a name that does not exist on the host.
  const renamed = { id: 4711, full_name: 'acme/elsewhere', owner: acme };
  assert.equal(await tenant.deliver('pull_request', pullPayload(900, {}, renamed)), 202);
  const { id } = await tenant.repository(({ ownerConfirmed }) => ownerConfirmed);
  assert.equal((await tenant.backfill(id)).state, 'completed');
  const outcome = await tenant.publish(id, 'changelog', ['v1.0.0', 'v2.0.0']);
  assert.equal(outcome.status, 'completed', JSON.stringify(outcome));
  assert.deepEqual(host.asked(/elsewhere/), []);
});

test('a claimed installation mints no token', async (t) => {
  const app = new TestApp(temporaryFolder(t));
  const { host, service } = await start(t, { app });
  const tenant = await Tenant.join(service, 'acme');
  const installation = { id: Number(app.installationId), account: acme };
  const added = [{ id: 5005, full_name: 'acme/ghost' }];
  const event = { action: 'added', installation, repositories_added: added, repositories_removed: [] };
  assert.equal(await tenant.deliver('installation_repositories', event), 202);
  const { id } = await tenant.repository();
  assert.match(JSON.stringify(await tenant.backfill(id)), /does not confirm/);
  const payload = { action: 'edited', repository: claimed(5005) };
  assert.equal(await tenant.deliver('repository', payload), 202);
  await waitUntil('the repository is known', async () => {
    return /does not confirm/.test(JSON.stringify(await tenant.backfill(id)));
  });
  assert.deepEqual(app.tokens, []);
  assert.deepEqual(host.asked(/^(?!GET \S*\/app\/installations\/678$)/), []);
});

test('a claimed number mints no token of the installation of its owner', async (t) => {
  const app = new TestApp(temporaryFolder(t));
  const { host, service } = await start(t, { app });
  const tenant = await Tenant.join(service, 'acme');
  const installation = { id: Number(app.installationId), account: { login: 'acme', id: 88 } };
  const event = { action: 'created', installation, repositories: [{ id: 5005, full_name: 'acme/ghost' }] };
  assert.equal(await tenant.deliver('installation', event), 202);
  const { id } = await tenant.repository();
  assert.match(JSON.stringify(await tenant.backfill(id)), /does not confirm/);
  const wrong = { id: 5005, full_name: 'acme/ghost', owner: { login: 'acme', id: 88 } };
  assert.equal(await tenant.deliver('pull_request', pullPayload(1, {}, wrong)), 202);
  await waitUntil('the host has been asked', async () => {
    return /does not confirm/.test(JSON.stringify(await tenant.backfill(id)));
  });
  assert.deepEqual(app.tokens, []);
  assert.deepEqual(host.asked(/^(?!GET \S*\/app\/installations\/678$)/), []);
});

for (const kind of ['token', 'app'] as const) {
  test(`the rightful owner reads and publishes with ${kind === 'token' ? 'a token' : 'an app'}`, async (t) => {
    const app = kind === 'app' ? new TestApp(temporaryFolder(t)) : undefined;
    const { host, service } = await start(t, app ? { app } : { token }, acme);
    host.history.releases.length = 0;
    const tenant = await Tenant.join(service, 'acme');
    const rocket = { id: 4711, full_name: 'acme/rocket', owner: acme };
    if (app) {
      const installation = { id: Number(app.installationId), account: acme };
      const repositories = [{ id: 4711, full_name: 'acme/rocket' }];
      assert.equal(await tenant.deliver('installation', { action: 'created', installation, repositories }), 202);
    }
    assert.equal(await tenant.deliver('pull_request', pullPayload(900, {}, rocket)), 202);
    const { id } = await tenant.repository(({ ownerConfirmed }) => ownerConfirmed);
    assert.equal((await tenant.backfill(id)).state, 'completed');
    const outcome = await tenant.publish(id, 'changelog', ['v1.0.0', 'v2.0.0']);
    assert.equal(outcome.status, 'completed', JSON.stringify(outcome));
    assert.match(host.publishing.text('CHANGELOG.md') ?? '', /^# Changelog\n\n## v2\.0\.0/);
    assert.equal((await tenant.api('GET', `/api/repos/${id}`)).body.ownerUnconfirmedReason, null);
    assert.match((await service.run('doctor')).output, /✓ owners: 1 of 1 repositories confirmed by their host/);

    // The owner is renamed on the host. The new name is used only after the host has confirmed it.
    host.history.owner.login = 'acme-corp';
    host.history.formerNames.push('acme/rocket');
    host.history.fullName = 'acme-corp/rocket';
    const renamed = { ...rocket, full_name: 'acme-corp/rocket', owner: { ...acme, login: 'acme-corp' } };
    assert.equal(await tenant.deliver('pull_request', pullPayload(901, {}, renamed)), 202);
    assert.equal((await tenant.repository()).fullName, 'acme/rocket');
    assert.equal((await tenant.backfill(id)).state, 'completed');
    assert.equal((await tenant.repository(({ fullName }) => fullName !== 'acme/rocket')).fullName, 'acme-corp/rocket');
    assert.equal(await tenant.deliver('pull_request', pullPayload(902, {}, renamed)), 202);
  });
}

test('a claim yields to a secret of the whole host, and loses everything that it brought', async (t) => {
  const service = await startService(t, { env: small });
  const tenant = await Tenant.join(service, 'acme');
  const forged = { title: 'A forged change', body: 'Fixes #1' };
  assert.equal(await tenant.deliver('pull_request', pullPayload(1, forged, claimed(5005))), 202);
  const { id } = await tenant.repository();
  const real = { id: 5005, full_name: 'victimcorp/private', owner: victim };
  assert.equal((await service.deliver('pull_request', pullPayload(2, { title: 'A real change' }, real))).status, 202);
  await waitUntil('the claim has ended', async () => (await tenant.repositories()).length === 0);
  const dump = service.tidings('dump', id);
  assert.match(dump, /A real change/);
  assert.doesNotMatch(dump, /A forged change/);
  assert.equal(await tenant.deliver('pull_request', pullPayload(3, forged, claimed(5005))), 401);
});

test('a claim that the host has refuted yields to the secret of the owner that it names', async (t) => {
  const { service } = await start(t);
  const squatter = await Tenant.join(service, 'acme');
  const owner = await Tenant.join(service, 'victimcorp');
  const real = { id: 5005, full_name: 'victimcorp/private', owner: victim };
  assert.equal(await squatter.deliver('pull_request', pullPayload(1, { title: 'Forged' }, claimed(5005))), 202);
  await squatter.repository(({ ownerUnconfirmedReason }) => /does not confirm/.test(ownerUnconfirmedReason));
  // This delivery makes the owner known to the service. It is about another repository of the owner, which no one else
  // has claimed.
  const other = { id: 5006, full_name: 'victimcorp/other', owner: victim };
  assert.equal(await owner.deliver('pull_request', pullPayload(1, {}, other)), 202);
  await owner.repository();
  assert.equal(await owner.deliver('pull_request', pullPayload(2, { title: 'Real' }, real)), 202);
  await waitUntil('the repository has moved', async () => (await owner.repositories()).length === 2);
  assert.deepEqual(await squatter.repositories(), []);
  const { id } = (await owner.repositories()).find(({ scmRepoId }) => scmRepoId === 5005);
  const dump = service.tidings('dump', id);
  assert.match(dump, /"title":"Real"/);
  assert.doesNotMatch(dump, /Forged/);
  await waitUntil('the host confirms it', async () => {
    return (await owner.api('GET', `/api/repos/${id}`)).body.ownerConfirmed;
  });
});

test('a claim without events, for an unselected repository, is refuted too', async (t) => {
  const { service } = await start(t);
  const squatter = await Tenant.join(service, 'acme');
  const owner = await Tenant.join(service, 'victimcorp');
  const repositories = [{ id: 5005, full_name: 'acme/ghost' }];
  const event = { action: 'created', installation: { id: 1, account: acme }, repositories };
  assert.equal(await squatter.deliver('installation', event), 202);
  const { id } = await squatter.repository();
  assert.equal((await squatter.api('PATCH', `/api/repos/${id}`, { selected: false })).status, 200);
  const other = { id: 5006, full_name: 'victimcorp/other', owner: victim };
  assert.equal(await owner.deliver('pull_request', pullPayload(1, {}, other)), 202);
  await owner.repository();
  await squatter.repository(({ ownerUnconfirmedReason }) => /does not confirm/.test(ownerUnconfirmedReason));
  const real = { id: 5005, full_name: 'victimcorp/private', owner: victim };
  assert.equal(await owner.deliver('pull_request', pullPayload(2, { title: 'Real' }, real)), 202);
  await waitUntil('the repository has moved', async () => (await owner.repositories()).length === 2);
  assert.deepEqual(await squatter.repositories(), []);
});

test('a claim that its own credentials cannot refute is refuted by the installation of the owner', async (t) => {
  const app = new TestApp(temporaryFolder(t));
  const { host, service } = await start(t, { app });
  const squatter = await Tenant.join(service, 'acme');
  const owner = await Tenant.join(service, 'victimcorp');
  assert.equal(await squatter.deliver('pull_request', pullPayload(1, { title: 'Forged' }, claimed(5005))), 202);
  await squatter.repository();
  const installation = { id: Number(app.installationId), account: victim };
  const repositories = [5005, 5006].map((id) => ({
    id,
    full_name: id === 5005 ? 'victimcorp/private' : 'victimcorp/other',
  }));
  // The other organization's claim delays repository 5005 only. Repository 5006 of the same installation is not
  // delayed.
  assert.equal(await owner.deliver('installation', { action: 'created', installation, repositories }), 202);
  assert.equal((await owner.repository()).scmRepoId, 5006);
  await squatter.repository(({ ownerUnconfirmedReason }) => /does not confirm/.test(ownerUnconfirmedReason));
  const real = { id: 5005, full_name: 'victimcorp/private', owner: victim };
  await waitUntil('the owner’s delivery is accepted', async () => {
    return (await owner.deliver('pull_request', pullPayload(2, { title: 'Real' }, real))) === 202;
  });
  await waitUntil('the repository belongs to the owner', async () => {
    const found = (await owner.repositories()).find(({ scmRepoId }) => scmRepoId === 5005);
    return found?.ownerConfirmed && found;
  });
  assert.deepEqual(await squatter.repositories(), []);
  assert.deepEqual(host.asked(/pulls/), []);
});

test('the number of another owner opens nothing and locks no one out', async (t) => {
  const { host, service } = await start(t);
  const squatter = await Tenant.join(service, 'acme');
  const wrong = { id: 5005, full_name: 'acme/ghost', owner: { login: 'acme', id: 88 } };
  assert.equal(await squatter.deliver('pull_request', pullPayload(1, { title: 'Forged' }, wrong)), 202);
  const { id } = await squatter.repository();
  assert.match((await squatter.backfill(id)).error, /does not confirm/);
  assert.deepEqual(host.asked(/pulls/), []);
  const owner = await Tenant.join(service, 'victimcorp');
  const other = { id: 5006, full_name: 'victimcorp/other', owner: victim };
  assert.equal(await owner.deliver('pull_request', pullPayload(1, {}, other)), 202, 'its own deliveries pass');
  const real = { id: 5005, full_name: 'victimcorp/private', owner: victim };
  assert.equal((await service.deliver('pull_request', pullPayload(2, { title: 'Real' }, real))).status, 202);
  await waitUntil('both repositories belong to the owner', async () => (await owner.repositories()).length === 2);
  assert.equal(await squatter.deliver('pull_request', pullPayload(3, {}, wrong)), 401);
  assert.doesNotMatch(service.tidings('dump', id), /Forged/);
});

test('an organization claims few repositories without proof', async (t) => {
  const service = await startService(t, { env: { ...small, TIDINGS_LIMIT_CLAIMED_REPOSITORIES: '3' } });
  const tenant = await Tenant.join(service, 'acme');
  const added = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: first + i, full_name: `acme/r${first + i}` }));
  const event = (repositories: object[]) => ({
    action: 'created',
    installation: { id: 1, account: acme },
    repositories,
  });
  assert.equal(await tenant.deliver('installation', event(added(1, 5000))), 429);
  assert.equal(await tenant.deliver('installation', event(added(1, 2))), 202);
  const payload = (id: number) => pullPayload(1, {}, { id, full_name: `acme/r${id}`, owner: acme });
  const answers = await Promise.all([10, 11, 12, 13].map((id) => tenant.deliver('pull_request', payload(id))));
  assert.deepEqual(answers.sort(), [202, 429, 429, 429], 'concurrently too');
  await waitUntil('all are listed', async () => (await tenant.repositories()).length === 3);
  assert.equal(await tenant.deliver('pull_request', payload(1)), 202, 'an existing claim continues');
  // Repositories in deliveries that are signed with the secret of the whole host are not claims.
  for (const id of [1, 20, 21, 22]) assert.equal((await service.deliver('pull_request', payload(id))).status, 202);
  await waitUntil('all are listed', async () => (await tenant.repositories()).length === 6);
  // The proof of repository 1 can reach the directory later than the other repositories, because each partition reports
  // its own. Until then, the delivery is refused, which changes nothing.
  await waitUntil('proof frees claims', async () => (await tenant.deliver('pull_request', payload(30))) === 202);
});

test('an unselected claim unselects nothing for the owner', async (t) => {
  const service = await startService(t, { env: small });
  const tenant = await Tenant.join(service, 'acme');
  assert.equal(await tenant.deliver('pull_request', pullPayload(1, { title: 'Forged' }, claimed(5005))), 202);
  const { id } = await tenant.repository();
  assert.equal((await tenant.api('PATCH', `/api/repos/${id}`, { selected: false })).status, 200);
  const own = await service.deliver('pull_request', pullPayload(3, {}, claimed(5005)));
  assert.equal(own.status, 200, 'the tenant may unselect it for its own events');
  const real = { id: 5005, full_name: 'victimcorp/private', owner: victim };
  assert.equal((await service.deliver('pull_request', pullPayload(2, { title: 'Real' }, real))).status, 202);
  await waitUntil('the claim has ended', async () => (await tenant.repositories()).length === 0);
  const dump = service.tidings('dump', id);
  assert.match(dump, /"title":"Real"/);
  assert.doesNotMatch(dump, /Forged/);
});

test('a tenant that claims the number of an owner uses up nothing of the owner’s limit', async (t) => {
  const env = { ...small, TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '2', TIDINGS_WEBHOOK_MAX_DELAY_HOURS: '0' };
  const service = await startService(t, { env });
  const tenant = await Tenant.join(service, 'acme');
  const wrong = { id: 5005, full_name: 'acme/ghost', owner: { login: 'acme', id: 88 } };
  const statuses: number[] = [];
  for (const number of [1, 2, 3, 4])
    statuses.push(await tenant.deliver('pull_request', pullPayload(number, {}, wrong)));
  assert.equal(statuses.at(-1), 429, 'the claimant is limited');
  const real = { id: 5006, full_name: 'victimcorp/other', owner: victim };
  assert.equal((await service.deliver('pull_request', pullPayload(1, {}, real))).status, 202);
});

test('a login that only an installation’s delivery gives is not looked up', async (t) => {
  const { host, service } = await start(t);
  const tenant = await Tenant.join(service, 'acme');
  const own = { id: 1001, full_name: 'acme/own', owner: acme };
  assert.equal(await tenant.deliver('pull_request', pullPayload(1, {}, own)), 202);
  await tenant.repository();
  const event = {
    action: 'created',
    installation: { id: 1, account: { ...acme, login: 'victimcorp' } },
    repositories: [{ id: 5005, full_name: 'victimcorp/private' }],
  };
  assert.equal(await tenant.deliver('installation', event), 202);
  const listed = await waitUntil('it is listed', async () => {
    return (await tenant.repositories()).find(({ scmRepoId }) => scmRepoId === 5005);
  });
  assert.equal(listed.fullName, 'acme/private');
  await tenant.backfill(listed.id);
  assert.deepEqual(host.asked(/victimcorp/), []);
});

test('a former name with another login is not accepted from an organization’s own secret', async (t) => {
  const service = await startService(t, { env: small });
  const tenant = await Tenant.join(service, 'acme');
  const repository = { ...claimed(1001), updated_at: '2026-03-01T10:00:00Z' };
  const from = { organization: { login: 'victimcorp', id: 88 } };
  const moved = { owner: { from }, repository: { name: { from: 'private' } } };
  assert.equal(await tenant.deliver('repository', { action: 'transferred', repository, changes: moved }), 202);
  const renamed = { repository: { name: { from: 'spirit' } } };
  assert.equal(await tenant.deliver('repository', { action: 'renamed', repository, changes: renamed }), 202);
  const { id } = await tenant.repository();
  const dump = await waitUntil('both are folded', () => {
    const text = service.tidings('dump', id);
    return text.includes('acme/spirit') && text;
  });
  assert.doesNotMatch(dump, /victimcorp/);
});
