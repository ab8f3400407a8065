/** Kills the worker 50 times while tags arrive in a repository with a rule. */
import { test } from 'node:test';
import { killAutomation } from '../helpers/automation-kill.ts';

for (const follows of [false, true]) {
  const title = follows ? 'published once from the drafts before it' : 'drafted and published once';
  test(`each of 50 tags is ${title}, although the worker is killed 50 times`, async (t) => {
    await killAutomation(t, { kills: 50, seed: 2, maxMs: 3000, follows });
  });
}
