/**
 * Tests that tallies give the same metrics as prom-client's own methods.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { TalliedCounter, TalliedHistogram } from '../../../src/foundation/tallies.ts';

const routes = ['a', 'b'] as const;
const seconds = fc.oneof(fc.constantFrom(0, 0.1, 0.2, 0.5), fc.double({ min: 0, max: 1, noNaN: true }));
const steps = fc.array(fc.tuple(fc.constantFrom(...routes), seconds, fc.boolean()), { maxLength: 60 });

test('a tallied histogram gives the same text as a histogram', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (values) => {
      const [own, plain] = [new Registry(), new Registry()];
      const config = { name: 'x', help: 'x', labelNames: ['route'], buckets: [0.1, 0.2, 0.5] };
      const tallied = new TalliedHistogram({ ...config, registers: [own] });
      const histogram = new Histogram({ ...config, registers: [plain] });
      const tallies = new Map(routes.map((route) => [route, tallied.tally({ route })]));
      for (const route of routes) histogram.zero({ route });
      for (const [route, value, reads] of values) {
        tallies.get(route)?.observe(value);
        histogram.observe({ route }, value);
        if (reads) assert.equal(rounded(await own.metrics()), rounded(await plain.metrics()));
      }
      assert.equal(rounded(await own.metrics()), rounded(await plain.metrics()));
      assert.deepEqual(namesOf(await own.getMetricsAsJSON()), namesOf(await plain.getMetricsAsJSON()));
    }),
  );
});

test('a tallied counter counts tallies and single events', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (values) => {
      const [own, plain] = [new Registry(), new Registry()];
      const config = { name: 'x', help: 'x', labelNames: ['route'] };
      const tallied = new TalliedCounter({ ...config, registers: [own] });
      const counter = new Counter({ ...config, registers: [plain] });
      const tally = tallied.tally({ route: 'a' });
      for (const [route, , reads] of values) {
        if (route === 'a') tally.inc();
        else tallied.inc({ route });
        counter.inc({ route });
        if (reads) await own.metrics();
      }
      const sorted = async (registry: Registry) => (await registry.metrics()).split('\n').sort();
      assert.deepEqual(await sorted(own), await sorted(plain));
    }),
  );
});

/** Sums of the same numbers in another order differ in the last digits. */
function rounded(text: string): string {
  return text.replace(/(x_sum\S* )(\S+)/g, (_, name: string, sum: string) => name + Number(sum).toFixed(9));
}

function namesOf(metrics: readonly object[]): unknown[] {
  return metrics
    .flatMap((metric) => (metric as { values: { metricName: string; labels: object }[] }).values)
    .map(({ metricName, labels }) => [metricName, labels]);
}
