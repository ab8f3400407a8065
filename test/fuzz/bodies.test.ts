/**
 * What the fuzz of the API sends: valid bodies fit the OpenAPI document, and each id of each write is at times a foreign one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf } from '../helpers/contract.ts';
import { RequestMaker, writes } from '../helpers/fuzz/requests.ts';
import { type Caller, orgs, World } from '../helpers/fuzz/world.ts';
import { seeded } from '../helpers/random.ts';

const prefixes = ['repo', 'range', 'draft', 'org', 'key', 'secret', 'pub', 'ep', 'dlv'];
const caller: Caller = { name: 'main', org: 'acme', key: 'k', kind: 'main' };

/** A world in which each organisation has one object of each kind; ids of umbrella end with u. */
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

test('each write that names an id is asked for a foreign one', () => {
  const maker = new RequestMaker(seeded(1), smallWorld());
  const rounds = Array.from({ length: 5 }, () => maker.trespasses(caller, 'umbrella')).flat();
  const asked = new Set(rounds.map(({ operation }) => operation.definition.operationId));
  for (const { url, body } of rounds) assert.match(`${url} ${body ?? ''}`, /_0{27}u/);
  const naming = writes.filter(({ path }) => path.includes('Id}'));
  const missing = naming.filter(({ definition }) => !asked.has(definition.operationId));
  assert.ok(naming.length > 10);
  assert.deepEqual(missing, []);
});

test('each write that may name an id in its query is asked for a foreign one, whatever its path', () => {
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
