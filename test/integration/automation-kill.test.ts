/** Kills the worker a few times while tags arrive in a repository with a rule. `test/long/` has more kills. */
import { test } from 'node:test';
import { killAutomation } from '../helpers/automation-kill.ts';

test('each tag is drafted and published once, although the worker is killed', async (t) => {
  await killAutomation(t, { kills: 4, seed: 1, maxMs: 1200, follows: false });
});
