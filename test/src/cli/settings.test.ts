/**
 * Tests the settings table of the command line: it has one row per setting and shows no secret.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingEntries } from '../../../config/load.ts';
import { settingsTable } from '../../../src/cli/settings.ts';

test('the table has one row per setting', () => {
  const rows = settingsTable().trimEnd().split('\n').slice(2);
  assert.deepEqual(
    rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1]),
    settingEntries.map((entry) => entry.env),
  );
});

test('every row has three cells', () => {
  for (const row of settingsTable().trimEnd().split('\n')) assert.equal(row.split('|').length, 5, row);
});

test('the defaults equal those of the spec (spec 8)', () => {
  const table = settingsTable();
  assert.match(table, /`TIDINGS_LIMIT_API_PER_MINUTE` \| `100` \|/);
  assert.match(table, /`TIDINGS_LIMIT_API_PER_HOUR` \| `1000` \|/);
  assert.match(table, /`TIDINGS_LIMIT_API_PER_DAY` \| `10000` \|/);
  assert.match(table, /`TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE` \| `100` \|/);
  assert.match(table, /`TIDINGS_LIMIT_WEBHOOKS_PER_HOUR` \| `1000` \|/);
});
