/** Kills the worker 50 times while tags arrive in a repository with a rule. */
import { test } from 'node:test';
import { killAutomation } from '../helpers/automation-kill.ts';

test('each of 50 tags is drafted and published once, although the worker is killed 50 times', async (t) => {
  await killAutomation(t, { kills: 50, seed: 2, maxMs: 2500, follows: false });
});

test('each tag is published once from the drafts before it, although the worker is killed', async (t) => {
  await killAutomation(t, { kills: 10, seed: 3, maxMs: 2500, follows: true });
});
