/**
 * Walks through all screens of the dashboard with keys of one scope each. The browser sends no request that is refused,
 * and each screen says which scope is missing. The test needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRepository } from '../../demo/history/index.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, open, screensOf, sendHistory, show, writeDraft } from '../helpers/dashboard.ts';
import { startService } from '../helpers/service.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: keys of one scope were not tested';

/** Words that a screen must show to a key, by scope and screen. */
const expected: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  'drafts:read': {
    inbox: /To see unreleased changes here, a key needs the scopes repos:read and ranges:read\./,
    repositories: /Your key may not see repositories\.\s*It lacks the scope repos:read\./,
    changes: /Your key may not see repositories\./,
    draft: /To see what these notes cover, and to edit them, a key needs the scope ranges:read\./,
    publications: /Nothing is published yet\./,
    deliveries: /Your key may not see deliveries\.\s*It lacks the scope webhooks:read\./,
    'deliveries to endpoints': /Your key may not see deliveries\./,
    statistics: /Your key may not see statistics\.\s*It lacks the scope stats:read\./,
    connect: /To see here whether a delivery has come, a key needs the scope webhooks:read\./,
    'settings hosts': /These settings do not exist, or your key may not see them\./,
  },
  'repos:read': {
    repositories: /To see releases and unreleased changes here, a key needs the scope ranges:read\./,
    changes: /Your key may not see unreleased changes\./,
    releases: /To see the drafts and publications of releases, a key needs the scopes ranges:read and drafts:read\./,
    ranges: /Your key may not see ranges\./,
    'repository settings': /To see an example, a key needs the scope drafts:read\./,
    history: /To fetch history, a key needs the scope repos:write\./,
    draft: /Your key may not see drafts\./,
    publications: /Your key may not see publications\./,
  },
  'ranges:read': { inbox: /To see drafts and publications here/, draft: /Your key may not see drafts\./ },
  'webhooks:read': {
    inbox: /To see unreleased changes here/,
    deliveries: /accepted/,
    'deliveries to endpoints': /There is no endpoint yet\./,
    connect: /To see the history of repositories, a key needs the scope repos:read\./,
  },
  'stats:read': { statistics: /Merges per week/, repositories: /Your key may not see repositories\./ },
};

/** Screens that look different for a key with more scopes. The test audits them. */
const audited: ReadonlySet<string> = new Set([
  'drafts:read inbox',
  'drafts:read repositories',
  'drafts:read draft',
  'repos:read repositories',
  'repos:read releases',
]);

test('keys of one scope walk through all screens without a refused request', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin } });
  await sendHistory(service);
  const shown = await writeDraft(service);
  const repository = `/app/repositories/${shown.repoId}`;
  const screens: Readonly<Record<string, string>> = {
    ...screensOf(shown),
    ranges: `${repository}/ranges`,
    'repository settings': `${repository}/settings`,
    history: `${repository}/history`,
    'deliveries to endpoints': '/app/deliveries/endpoints',
    statistics: '/app/statistics',
    connect: '/app/connect',
    'settings hosts': '/app/settings/hosts',
    about: '/app/settings/about',
  };
  const browser = await openBrowser(t, program as string);
  for (const [scope, words] of Object.entries(expected)) {
    await t.test(`a key with the scope ${scope} only`, async (t) => {
      const { body } = await service.api('POST', '/api/keys', { name: 'few', instance: true, scopes: [scope] });
      const { page, faults } = await open(t, browser, service);
      page.on('response', (response) => {
        if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
      });
      await page.getByLabel('API key').fill(body.key);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
      for (const [name, path] of Object.entries(screens)) {
        await show(page, service.url + path);
        const text = words[name];
        if (text) await page.locator('main').filter({ hasText: text }).waitFor();
        assert.equal(await page.locator('.box.bad').count(), 0, `${name} shows no error`);
        if (audited.has(`${scope} ${name}`)) await auditBoth(page, `${scope.replace(':', '-')} ${name}`);
      }
      assert.deepEqual(faults, []);
    });
  }
});
