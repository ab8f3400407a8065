/**
 * Kills two of three NATS servers. Nothing can be acknowledged then, reads are refused before they are too old, and
 * everything continues by itself when the servers are back.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, progress, seconds } from '../cluster-faults.ts';
import { isLong, rounds } from '../cluster-options.ts';
import { waitUntil } from '../wait-until.ts';

/** How long two servers are away, in milliseconds. The short form waits only until reads are refused. */
const awayMs = isLong ? 60_000 : 0;
/** Maximum time until reads are refused, and until everything is served again, in milliseconds. */
const [refusedMs, healedMs] = [20_000, isLong ? 30_000 : 60_000];

export const twoNats: Fault = {
  title: 'without a majority of the NATS servers, nothing is acknowledged and no old state is served',
  perSecond: 60,
  async run(t, { nats, nodes, load }) {
    const all = rounds(1, 1);
    for (let round = 1; round <= all; round += 1) {
      const begun = performance.now();
      for (const i of [1, 2]) await nats.kill(i);
      const down = performance.now();
      const refused = await Promise.all(
        nodes.live.map(async (i) => {
          const node = nodes.at(i);
          // The contract of the API has no 503: a node that cannot serve answers 500 with `Retry-After`.
          await waitUntil(
            `node ${i} refuses reads`,
            async () => (await node.api('GET', load.draftPath)).status === 500,
          );
          return performance.now() - begun;
        }),
      );
      const accepted = load.acceptedSince(down);
      await pause(Math.max(0, begun + awayMs - performance.now()));
      for (const i of [1, 2]) await nats.start(i);
      const back = performance.now();
      await Promise.all(nodes.live.map((i) => nodes.at(i).ready()));
      await load.progress(2);
      const healed = performance.now() - back;
      await nats.healed();
      progress(
        t,
        `reads were refused after ${refused.map(seconds).join(', ')}; ${accepted} deliveries accepted without a majority; served again ${seconds(healed)} after the servers were back`,
      );
      assert.equal(accepted, 0);
      for (const ms of refused) assert.ok(ms <= refusedMs, `reads were answered for ${ms} ms`);
      assert.ok(healed <= healedMs, `${healed} ms until everything was served again`);
    }
  },
};
