/**
 * Kills the worker, the gateway or the journal's server at many random times while a draft is published to each
 * channel: `node dist/test/fuzz/publish-kill.js [--kills 200] [--seed 1] [--victim worker|gateway|nats-server]`. The
 * program exits with 1 when a receiver has an item twice. It also exits with 1 when an item is missing and the
 * publication does not report this.
 */
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { killPublishes, type Victim } from '../helpers/publish-kill.ts';
import { hostTargets, outsideTargets } from '../helpers/publish-targets.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    victim: { type: 'string', default: 'worker' },
  },
});

test(`${values.kills} kills of the ${values.victim}, seed ${values.seed}`, async (t) => {
  const host = await startHost(t, buildHistory({ numbers: 24 }), { token: 'secret-token' });
  const started = performance.now();
  const victim = values.victim as Victim;
  const options = { kills: Number(values.kills), seed: Number(values.seed), maxMs: 2500, host, victim };
  const tallies = await killPublishes(t, [...hostTargets(host), ...(await outsideTargets(t))], options);
  console.log(`${values.kills} kills in ${Math.round((performance.now() - started) / 1000)} s`);
  for (const [channel, tally] of tallies) console.log(channel.padEnd(18), JSON.stringify(tally));
});
