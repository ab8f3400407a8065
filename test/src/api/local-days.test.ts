/**
 * Tests when days begin in a time zone: days of 23 and 25 hours, days whose midnight is skipped or repeated, and zones
 * that are not known.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isTimeZone, spanOfDays } from '../../../src/api/local-days.ts';

const hourMs = 3_600_000;

/** Returns the beginning and the end of one day as texts, and its length in hours. */
function dayIn(timeZone: string, date: string): [from: string, hours: number] {
  const { from, to } = spanOfDays(date, date, timeZone);
  return [new Date(from).toISOString(), (to - from) / hourMs];
}

const days: [timeZone: string, date: string, from: string, hours: number][] = [
  ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z', 24],
  ['Europe/Berlin', '2026-03-28', '2026-03-27T23:00:00.000Z', 24],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
  ['America/Los_Angeles', '2026-11-01', '2026-11-01T07:00:00.000Z', 25],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z', 24.5],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z', 24],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z', 24],
  // Clocks skip from 00:00 to 01:00.
  ['Africa/Cairo', '2023-04-28', '2023-04-27T22:00:00.000Z', 23],
  // Clocks show 00:00 to 01:00 twice.
  ['America/Havana', '2025-11-02', '2025-11-02T04:00:00.000Z', 25],
  // Clocks went back from 00:01 to 23:01 of the day before.
  ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00.000Z', 25],
  // Samoa skipped this day.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z', 0],
  ['Europe/Berlin', '9999-12-31', '9999-12-30T23:00:00.000Z', 24],
];
for (const [timeZone, date, from, hours] of days) {
  test(`${date} in ${timeZone} has ${hours} hours`, () => assert.deepEqual(dayIn(timeZone, date), [from, hours]));
}

test('a range reaches from the beginning of its first day to the end of its last', () => {
  const { from, to } = spanOfDays('2026-03-01', '2026-03-31', 'Europe/Berlin');
  assert.deepEqual([from, to], [Date.parse('2026-02-28T23:00:00Z'), Date.parse('2026-03-31T22:00:00Z')]);
});

test('days of the years 0 to 9999 follow each other without a gap or an overlap, in every zone', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const first = Date.parse('0000-01-01T00:00:00Z');
  const last = Date.parse('9999-12-30T00:00:00Z');
  fc.assert(
    fc.property(zones, fc.integer({ min: 0, max: (last - first) / 86_400_000 }), (timeZone, index) => {
      const [one, two] = [index, index + 1].map((day) => new Date(first + day * 86_400_000).toISOString().slice(0, 10));
      const day = spanOfDays(one as string, one as string, timeZone);
      const next = spanOfDays(two as string, two as string, timeZone);
      assert.equal(day.to, next.from);
      assert.ok(day.to >= day.from && day.to - day.from <= 49 * hourMs, `${one} ${timeZone}`);
    }),
    { numRuns: 400 },
  );
});

test('only names of time zones are accepted', () => {
  for (const zone of ['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+2', 'Asia/Kolkata'])
    assert.ok(isTimeZone(zone), zone);
  for (const zone of [
    '',
    'Mars/Base',
    '+02:00',
    'Europe/Berlin\n',
    'Europe',
    '..',
    '12',
    'a'.repeat(65),
    'Europe Berlin',
  ])
    assert.ok(!isTimeZone(zone), zone);
});
