/**
 * Tests the requests that the API fuzz generates. Valid bodies match the OpenAPI document. For each id in each write
 * operation, some requests contain an id of another organization.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf } from '../helpers/contract.ts';
import { RequestMaker, writes } from '../helpers/fuzz/requests.ts';
import { type Caller, orgs, World } from '../helpers/fuzz/world.ts';
import { seeded } from '../helpers/random.ts';

const prefixes = ['repo', 'range', 'draft', 'org', 'key', 'secret', 'pub', 'ep', 'dlv'];
const caller: Caller = { name: 'main', org: 'acme', key: 'k', kind: 'main' };

/**
 * Makes a `World` in which each organization has one object of each kind. The ids of acme's objects end with `a`, and
 * the ids of umbrella's objects end with `u`.
 */
function smallWorld(known: World['known'] = {}): World {
  const world = new World(known, { acme: {}, umbrella: {} });
  for (const org of orgs) {
    world.markers[org].add(org);
    for (const prefix of prefixes) world.add(`${prefix}_${'0'.repeat(27)}${org.charAt(0)}`, org);
  }
  return world;
}

test('valid bodies fit the document', () => {
  const maker = new RequestMaker(seeded(1), smallWorld());
  for (const operation of writes) {
    const { schema } = operation.definition.requestBody?.content['application/json'] ?? {};
    if (!schema) continue;
    for (let round = 0; round < 50; round++) {
      const body = maker.validBody('acme', caller, operation);
      assert.equal(faultOf(schema, body), undefined, `${operation.definition.operationId} ${JSON.stringify(body)}`);
    }
  }
});

test('each write that names an id is also sent with an id of another organization', () => {
  const maker = new RequestMaker(seeded(1), smallWorld());
  const rounds = Array.from({ length: 5 }, () => maker.trespasses(caller, 'umbrella')).flat();
  const asked = new Set(rounds.map(({ operation }) => operation.definition.operationId));
  for (const { url, body } of rounds) assert.match(`${url} ${body ?? ''}`, /_0{27}u/);
  const naming = writes.filter(({ path }) => path.includes('Id}'));
  const missing = naming.filter(({ definition }) => !asked.has(definition.operationId));
  assert.ok(naming.length > 10);
  assert.deepEqual(missing, []);
});

test('each write with an optional query id is sent with another organization’s id, for each known path value', () => {
  const channels = ['email', 'hosted'];
  const maker = new RequestMaker(seeded(1), smallWorld({ channel: channels }));
  const asked = maker.trespasses(caller, 'umbrella').map(({ operation, url }) => `${operation.method} ${url}`);
  for (const method of ['PUT', 'DELETE']) {
    for (const channel of channels) {
      for (const [name, prefix] of [
        ['repoId', 'repo'],
        ['orgId', 'org'],
      ])
        assert.ok(asked.includes(`${method} /api/channels/${channel}?${name}=${prefix}_${'0'.repeat(27)}u`), name);
    }
  }
});
