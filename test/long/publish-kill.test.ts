/**
 * Kills a process a few times while a draft is published. To test many kills, run `node dist/test/fuzz/publish-kill.js
 * --kills 200`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { killPublishes } from '../helpers/publish-kill.ts';
import { hostTargets, outsideTargets } from '../helpers/publish-targets.ts';

const rounds = { worker: 4, gateway: 2, 'nats-server': 2 } as const;

for (const victim of ['worker', 'gateway', 'nats-server'] as const) {
  test(`the ${victim} dies: each receiver has one item, or its publication reports an unknown outcome`, async (t) => {
    const kills = rounds[victim];
    const host = await startHost(t, buildHistory({ numbers: 24 }), { token: 'secret-token' });
    const targets = [...hostTargets(host), ...(await outsideTargets(t))];
    const tallies = await killPublishes(t, targets, { kills, seed: 1, maxMs: 2500, host, victim });
    t.diagnostic(JSON.stringify(Object.fromEntries(tallies)));
    for (const [channel, { completed, unknownThere, unknownMissing }] of tallies)
      assert.equal(completed + unknownThere + unknownMissing, kills, channel);
  });
}
