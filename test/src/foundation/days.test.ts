/**
 * Tests the days and years that retention periods use.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf, toDate, yearBefore } from '../../../src/foundation/days.ts';

const cases: [string, string][] = [
  ['2026-11-21T00:00:00Z', '2025-11-21'],
  ['2026-11-21T23:59:59.999Z', '2025-11-21'],
  ['2028-02-29T12:00:00Z', '2027-02-28'],
  ['2029-02-28T12:00:00Z', '2028-02-28'],
  ['2025-03-01T00:00:00Z', '2024-03-01'],
  ['2026-12-31T00:00:00Z', '2025-12-31'],
];

for (const [now, day] of cases) {
  test(`returns ${day} for one year before ${now}`, () => {
    assert.equal(toDate(yearBefore(Date.parse(now))), day);
    assert.ok(yearBefore(Date.parse(now)) <= dayOf(Date.parse(now)) - 365);
  });
}
