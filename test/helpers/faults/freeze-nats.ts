/**
 * Suspends a NATS server that a node is connected to. Its connections stay open but silent, and each lane must move to
 * another server by itself.
 */
import assert from 'node:assert/strict';
import { Elections } from '../cluster/elections.ts';
import { type Fault, progress, seconds } from '../cluster-faults.ts';
import { isLong, rounds } from '../cluster-options.ts';

/** How long a lane may be silent, in milliseconds. On a busy machine, an election that follows takes longer. */
const silentMs = isLong ? 9000 : 20_000;
/** How long a lane may be silent after an election that took longer than usual, in milliseconds. */
const electedMs = 1000;

export const freezeNats: Fault = {
  title: 'each lane moves away from a NATS server that is suspended',
  perSecond: 60,
  async run(t, { nats, nodes, load }) {
    const all = rounds(1, 5);
    for (let round = 1; round <= all; round += 1) {
      const clients = await Promise.all(nats.indexes.map((i) => nats.clients(i, 'tidings gateway')));
      const victim = clients.indexOf(Math.max(...clients));
      assert.ok((clients[victim] ?? 0) > 0, 'a gateway is connected');
      await load.progress(5);
      const elections = new Elections(await nats.connect((victim + 1) % 3), load.takeGaps().keys());
      await nats.freeze(victim);
      const begun = performance.now();
      await load.progress(5);
      const gaps = [...load.takeGaps()].map(([partition, ms]) => ({
        ...{ partition, ms },
        election: elections.since(begun, partition),
      }));
      nats.thaw(victim);
      await nats.healed();
      await nodes.sound();
      const each = gaps
        .map(({ partition, ms, election }) => `${partition} ${seconds(ms)} (election ${seconds(election)})`)
        .join(', ');
      progress(
        t,
        `freeze ${round} of ${all}, ${clients[victim]} gateways connected: longest time without a 202 ${each}`,
      );
      for (const { partition, ms, election } of gaps)
        assert.ok(ms <= Math.max(silentMs, election + electedMs), `${partition}: ${ms} ms`);
    }
  },
};
