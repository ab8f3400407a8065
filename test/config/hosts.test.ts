/**
 * Tests the list of hosts: the default host is first, missing REST addresses are filled in, and messages name the
 * faults.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsOf } from '../../config/hosts.ts';
import { loadSettings, SettingsError, settingsToEnv } from '../../config/load.ts';

const gitea = { origin: 'https://git.example.org', kind: 'gitea', token: 'a-token-of-gitea' };

test('the default host comes first, with the usual REST address of its kind', () => {
  const [host, ...others] = hostsOf(loadSettings({}));
  assert.deepEqual(host, {
    origin: 'https://github.com',
    kind: 'github',
    apiUrl: 'https://api.github.com',
    token: undefined,
    app: undefined,
  });
  assert.deepEqual(others, []);
});

test('further hosts come from a JSON list and reach child processes unchanged', () => {
  const settings = loadSettings({
    TIDINGS_HOST_ORIGIN: 'https://github.example.com',
    TIDINGS_HOST_APP_ID: '12',
    TIDINGS_HOST_APP_KEY_FILE: '/keys/app.pem',
    TIDINGS_HOSTS: JSON.stringify([gitea]),
  });
  const [first, second] = hostsOf(settings);
  assert.equal(first?.apiUrl, 'https://github.example.com/api/v3');
  assert.deepEqual(first?.app, { id: '12', keyFile: '/keys/app.pem' });
  assert.equal(second?.apiUrl, 'https://git.example.org/api/v1');
  assert.equal(second?.token, gitea.token);
  assert.deepEqual(loadSettings(settingsToEnv(settings)), settings);
});

test('the settings accept the kind forgejo, which has the REST API of Gitea', () => {
  const [host, other] = hostsOf(
    loadSettings({
      TIDINGS_HOST_ORIGIN: 'https://code.example',
      TIDINGS_HOST_KIND: 'forgejo',
      TIDINGS_HOSTS: JSON.stringify([{ origin: 'https://git.example', kind: 'forgejo' }]),
    }),
  );
  assert.deepEqual([host?.kind, host?.apiUrl], ['gitea', 'https://code.example/api/v1']);
  assert.deepEqual([other?.kind, other?.apiUrl], ['gitea', 'https://git.example/api/v1']);
});

test('errors name the faults of hosts and show no token', () => {
  const faultsOf = (env: NodeJS.ProcessEnv): string => {
    try {
      loadSettings(env);
      return '';
    } catch (error) {
      assert.ok(error instanceof SettingsError);
      return error.message;
    }
  };
  assert.match(faultsOf({ TIDINGS_HOSTS: 'a-token-of-gitea' }), /TIDINGS_HOSTS: expected a JSON list like/);
  assert.doesNotMatch(faultsOf({ TIDINGS_HOSTS: '[{"token":"a-token-of-gitea"}]' }), /a-token-of-gitea/);
  assert.match(faultsOf({ TIDINGS_HOSTS: JSON.stringify([gitea, gitea]) }), /host 1 has the same origin/);
  assert.match(faultsOf({ TIDINGS_HOST_APP_ID: '12' }), /TIDINGS_HOST_APP_KEY_FILE/);
});
