/** Tests the words of the first steps: the forms of the hosts, refused deliveries, the check of a host, and history. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { arrivalsOf, type Delivery, remedyOf } from '../../dashboard/text/arrivals.ts';
import { countedKinds, failureAdvice, progressLine } from '../../dashboard/text/backfill-words.ts';
import { accessOf, type Host } from '../../dashboard/text/host-access.ts';
import { type FormName, fieldNames, githubEvents, webhookForm } from '../../dashboard/text/webhook-forms.ts';
import { refusalReasons } from '../../src/protocol/refused-deliveries.ts';

const forms: readonly FormName[] = ['GitHub', 'Gitea', 'Forgejo'];
const guide = readFileSync(new URL('../../../docs/hosts.md', import.meta.url), 'utf8');

test('a form has the fields of the guide in their order', () => {
  const labels = (name: FormName, isSecure = true) => webhookForm(name, isSecure).fields.map(({ label }) => label);
  const gitea = guide.slice(guide.indexOf('## Gitea and Forgejo'));
  const documented = [...gitea.slice(0, gitea.indexOf('| group')).matchAll(/^ +\| ([A-Z][\w ]+?) +\|/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(
    labels('Gitea').filter((label) => label !== 'Authorization Header'),
    documented,
  );
  assert.deepEqual(
    labels('Forgejo').map((label) => label.toLowerCase()),
    labels('Gitea').map((label) => label.toLowerCase()),
  );
  assert.deepEqual(labels('GitHub').slice(0, 4), ['Payload URL', 'Content type', 'Secret', 'SSL verification']);
  assert.ok(!labels('GitHub', false).includes('SSL verification'));
  const words = guide.replace(/\s+/g, ' ');
  assert.ok(words.includes(`*Let me select individual events*: ${githubEvents.join(', ')}.`));
});

const refused = (reason: string | null, more: Partial<Delivery> = {}) =>
  ({
    outcome: 'refused',
    reason,
    message: 'text',
    remedy: 'cure',
    hostKind: null,
    address: '192.0.2.7',
    ...more,
  }) as Delivery;

test('each refusal has a title and a remedy of its own, with the name of the field', () => {
  const titles = new Set<string>();
  for (const reason of Object.keys(refusalReasons)) {
    for (const form of forms) {
      const { title, todo } = remedyOf(refused(reason), form);
      assert.ok(todo.includes(form), `${reason} names ${form}: ${todo}`);
      assert.ok(!title.includes('text'), `${reason} has words of its own`);
      titles.add(title);
    }
  }
  assert.equal(titles.size, Object.keys(refusalReasons).length);
  for (const form of forms) {
    const { type, secret } = fieldNames[form];
    assert.ok(remedyOf(refused('form_body'), form).todo.includes(`field ${type} to application/json`));
    for (const reason of ['wrong_signature', 'no_signature', 'foreign'])
      assert.ok(remedyOf(refused(reason), form).todo.includes(`field ${secret}`), reason);
  }
  const { title } = remedyOf(refused('wrong_signature'), 'GitHub');
  assert.equal(title, 'A delivery came, its signature does not match. Is this the secret?');
  assert.match(remedyOf(refused('not_allowed'), 'GitHub').todo, /192\.0\.2\.7.*TIDINGS_WEBHOOK_ALLOW/);
  assert.match(remedyOf(refused('too_large'), 'GitHub').todo, /TIDINGS_MAX_BODY_BYTES/);
});

test('the kind of host in the delivery decides the words, and unknown reasons keep the text of the service', () => {
  assert.match(remedyOf(refused('form_body', { hostKind: 'forgejo' }), 'GitHub').todo, /Forgejo.*POST content type/);
  for (const reason of ['later_reason', 'toString']) {
    const remedy = remedyOf(refused(reason), 'GitHub');
    assert.deepEqual(remedy, { title: 'A delivery came and was refused: text.', todo: 'cure' });
  }
  assert.match(remedyOf(refused(null, { outcome: 'failed' }), 'Gitea').title, /could not store/);
});

const at = (minute: number) => `2026-02-03T12:${String(minute).padStart(2, '0')}:00.000Z`;
const seen = (minute: number, outcome: Delivery['outcome'], more: Partial<Delivery> = {}) =>
  ({
    outcome,
    reason: null,
    receivedAt: at(minute),
    repoId: 'repo_1',
    repository: 'acme/rocket',
    hookId: null,
    ...more,
  }) as Delivery;

test('a later good delivery of the same webhook ends a refusal, one of another webhook does not', () => {
  const wrong = seen(1, 'refused', { hookId: '7' });
  const find = (...deliveries: Delivery[]) => arrivalsOf(deliveries, []);
  assert.deepEqual(find(), {});
  assert.deepEqual(find(wrong), { faulty: wrong });
  assert.equal(find(seen(2, 'queued', { hookId: '7' }), wrong).faulty, undefined);
  assert.equal(find(seen(2, 'queued'), wrong).faulty, undefined, 'a host that does not name its webhooks');
  assert.equal(find(seen(2, 'ignored', { reason: 'ping' }), wrong).faulty, undefined, 'a ping has the right secret');
  assert.equal(find(seen(2, 'queued', { hookId: '8' }), wrong).faulty, wrong);
  assert.equal(find(wrong, seen(0, 'queued', { hookId: '7' })).faulty, wrong);
  const newer = seen(3, 'refused', { hookId: '7' });
  assert.equal(find(newer, wrong).faulty, newer);
});

test('a ping reaches the service without connecting a repository', () => {
  const ping = seen(1, 'ignored', { reason: 'ping' });
  assert.deepEqual(arrivalsOf([ping], []), { reached: ping });
  const dropped = seen(2, 'ignored', { reason: 'not_connected' });
  assert.deepEqual(arrivalsOf([dropped, ping], []), { reached: ping, dropped });
  assert.equal(arrivalsOf([seen(3, 'delayed'), ping], []).accepted?.receivedAt, at(3));
});

test('after a restart, the last event of a repository shows that deliveries came', () => {
  const repositories = [
    { id: 'repo_1', fullName: 'acme/rocket', lastEventAt: at(1) },
    { id: 'repo_2', fullName: 'acme/moon', lastEventAt: at(2) },
    { id: 'repo_3', fullName: 'acme/new', lastEventAt: null },
  ];
  const expected = { repoId: 'repo_2', repository: 'acme/moon', receivedAt: at(2) };
  assert.deepEqual(arrivalsOf([], repositories), { accepted: expected });
});

const host = { origin: 'https://git.example', kind: 'gitea', isDefault: true, credentials: ['token'] } as const;
const credential = { state: 'accepted', missing: [], fault: null, mayRead: true, mayWrite: true } as const;
type Check = NonNullable<Host['lastCheck']>;
const check = (more: Partial<Check> = {}): Check => ({
  ...{ origin: host.origin, checkedAt: at(0), state: 'answers', kind: 'gitea', version: '1.26.0', fault: null },
  ...{ token: credential, app: null, mayRead: true, mayWrite: true },
  ...more,
});
const linesOf = (result: Check, of: Parameters<typeof accessOf>[0] = host) =>
  accessOf(of, result).map(({ name, state, todo }) => `${name} ${state}${todo === undefined ? '' : `: ${todo}`}`);

test('the check of a host has a line for each right, and names the setting that helps', () => {
  assert.deepEqual(linesOf(check()), ['Reachable good', 'Kind good', 'May read good', 'May write good']);
  assert.match(
    linesOf(check({ state: 'unreachable', fault: 'ECONNREFUSED' })).join(),
    /^Reachable bad: .*TIDINGS_HOST_ORIGIN/,
  );
  assert.match(
    linesOf(check({ state: 'other_kind', kind: 'github' })).join(),
    /Kind bad: Set TIDINGS_HOST_KIND to github/,
  );
  assert.match(linesOf(check({ state: 'not_a_host', kind: null })).join(), /Kind bad: .*TIDINGS_HOST_API_URL/);
  const none = check({ token: null, mayRead: false, mayWrite: false });
  assert.match(linesOf(none, { ...host, credentials: [] }).join(), /May read bad: .*TIDINGS_HOST_TOKEN and restart/);
  const github = { ...host, kind: 'github', credentials: [] } as const;
  assert.match(
    linesOf(none, github).join(),
    /TIDINGS_HOST_TOKEN, or TIDINGS_HOST_APP_ID and TIDINGS_HOST_APP_KEY_FILE,/,
  );
  assert.match(
    linesOf(none, { ...host, isDefault: false, credentials: [] }).join(),
    /token of its entry in TIDINGS_HOSTS/,
  );
  const lacking = { ...credential, state: 'lacking', missing: ['read:issue'], mayRead: false } as const;
  assert.match(accessOf(host, check({ token: lacking, mayRead: false }))[2]?.says ?? '', /token lacks read:issue/);
  const unknown = { ...credential, state: 'unknown', fault: '503', mayRead: false } as const;
  assert.equal(accessOf(host, check({ token: unknown, mayRead: false }))[2]?.state, 'unknown');
  const expired = { ...credential, state: 'refused', mayRead: false } as const;
  assert.match(linesOf(check({ token: expired, mayRead: false })).join(), /May read bad: Perhaps they have expired/);
  assert.match(linesOf(check({ mayWrite: false })).join(), /May write optional: Only publishing/);
  assert.match(linesOf(check({ mayWrite: null })).join(), /May write unknown/);
});

test('the progress of fetching is described in words', () => {
  assert.equal(progressLine({ state: 'running', phase: 'reviewComments' }), 'Fetching comments on lines');
  assert.equal(progressLine({ state: 'waiting', phase: 'pulls' }), 'Waiting for the host, with pull requests next');
  assert.equal(progressLine({ state: 'completed', phase: null }), 'The history is fetched');
  assert.deepEqual(countedKinds({ later: 1, tags: 2, pulls: 3 }), [
    ['Pull requests', 3],
    ['Tags', 2],
    ['later', 1],
  ]);
  assert.match(failureAdvice('The token or app has no permission for this'), /TIDINGS_HOST_TOKEN/);
  assert.match(failureAdvice('The repository does not exist, or …'), /still on the host/);
  assert.match(failureAdvice('The backfill failed on the server; see its log for the reason.'), /log of the service/);
  assert.match(failureAdvice('else'), /start again/);
});
