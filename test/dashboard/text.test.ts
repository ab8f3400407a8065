/** Tests the texts of the dashboard: times, the address of the service, names of ranges. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactTime, relativeTime } from '../../dashboard/text/dates.ts';
import { basePath, codeInHash } from '../../dashboard/text/places.ts';
import {
  count,
  countListed,
  kindSourceOf,
  outdatedReasons,
  rangeName,
  rangeStart,
  reasonOf,
} from '../../dashboard/text/words.ts';

const now = Date.UTC(2026, 1, 3, 12);
const ago = (seconds: number) => relativeTime(now - seconds * 1000, now);

test('times are relative for a month, then days', () => {
  assert.deepEqual([0, 59, 60, 3_599, 3_600, 86_399, 86_400, 29 * 86_400, 30 * 86_400].map(ago), [
    ...['just now', 'just now', '1 minute ago', '59 minutes ago', '1 hour ago', '23 hours ago'],
    ...['yesterday', '29 days ago', '4 Jan 2026'],
  ]);
  assert.equal(ago(-120), 'in 2 minutes');
  assert.equal(exactTime(now), '2026-02-03 12:00:00 UTC');
});

test('dependency updates are counted apart, as the notes list them', () => {
  const listed = (changes: number, dependencyUpdates: number) => countListed({ changes, dependencyUpdates });
  assert.equal(listed(5, 1), '5 changes and 1 dependency update');
  assert.deepEqual([listed(1, 0), listed(0, 2), listed(0, 0)], ['1 change', '2 dependency updates', '0 changes']);
  assert.equal(countListed({ changes: 5, dependencyUpdates: 0 }, 'unreleased change'), '5 unreleased changes');
});

test('the path of the service is the path of the script without its folder', () => {
  assert.equal(basePath('https://notes.example/assets/dashboard-AB12.js'), '');
  assert.equal(basePath('https://notes.example/tidings/assets/dashboard-AB12.js?x=1'), '/tidings');
});

test('only a link with a code contains a code', () => {
  assert.equal(codeInHash('#k=abc-123'), 'abc-123');
  for (const hash of ['', '#', '#k=', '#main', '#key=abc']) assert.equal(codeInHash(hash), undefined, hash);
});

test('ranges are named by their ends', () => {
  assert.equal(rangeName({ type: 'UNRELEASED', fromTag: 'v1' }), 'Unreleased');
  assert.equal(rangeName({ type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' }), 'v2');
  assert.equal(rangeName({ type: 'PR_BASED', fromPrNumber: 3, toPrNumber: 9 }), '#3 to #9');
  assert.equal(
    rangeName({ type: 'DATE_BASED', fromDate: '2026-02-01', toDate: '2026-02-14' }),
    '2026-02-01 to 2026-02-14',
  );
  assert.equal(rangeStart({ type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' }), 'since v1');
  assert.equal(rangeStart({ type: 'FIRST_RELEASE', toTag: 'v1' }), 'the first release');
});

test('reasons name the change that they are about', () => {
  assert.equal(reasonOf({ reason: 'reverted', detail: '#12' }), 'Reverted by #12');
  assert.equal(reasonOf({ reason: 'reverted' }), 'Reverted by another change');
  assert.equal(kindSourceOf('label'), 'its kind comes from a label');
  assert.equal(count(1, 'change'), '1 change');
  assert.equal(count(1_200, 'change'), '1,200 changes');
  assert.deepEqual([count(2, 'push'), count(2, 'address'), count(2, 'day')], ['2 pushes', '2 addresses', '2 days']);
  const because = [1, 2, 3, 4, 5].map((number) => ({ number, what: 'merged' }));
  assert.equal(outdatedReasons(because), '#1 is new, #2 is new, #3 is new, #4 is new and 1 more');
  assert.equal(outdatedReasons([{ what: 'settings' }]), 'the settings of the repository changed');
});
