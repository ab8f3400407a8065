/** Tests which texts say that a security problem is repaired. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advisoryIds, repairsSecurity, securityHeadings } from '../../../../src/notes/change/advisories.ts';
import { updatedPackages } from '../../../../src/notes/change/dependencies.ts';

test('finds public ids in any case, each once', () => {
  assert.deepEqual(advisoryIds('cve-2026-12345, CVE-2026-12345 and GHSA-AB12-cd34-EF56'), [
    'CVE-2026-12345',
    'GHSA-ab12-cd34-ef56',
  ]);
  assert.deepEqual(advisoryIds('GO-2026-1234 RUSTSEC-2026-0001 PYSEC-2026-7'), [
    'GO-2026-1234',
    'RUSTSEC-2026-0001',
    'PYSEC-2026-7',
  ]);
  assert.deepEqual(advisoryIds('CVE-2026-1, CVE-26-12345, xCVE-2026-12345, GHSA-ab-cd-ef and go-faster'), []);
});

test('an id, or "security" beside a word such as "fix", says that a problem is repaired', () => {
  for (const text of [
    'Fix CVE-2026-12345',
    'Bump a to 2 (GHSA-ab12-cd34-ef56)',
    'Security fix for uploads',
    'Security release 1.2.3',
    'security-hardening of uploads',
    'Fix security issue in uploads',
    'Update for security.',
    'Update a [SECURITY]',
    '[SECURITY] escape names',
    'Close a vulnerability in the parser',
  ])
    assert.equal(repairsSecurity(text), true, text);
});

test('other texts about security repair nothing', () => {
  for (const text of [
    'Ignore CVE-2026-12345',
    'Add CVE-2026-12345 to .trivyignore',
    'Suppress CVE-2026-12345',
    'CVE-2026-12345 is a false positive',
    'We are not affected by CVE-2026-12345',
    'Add CVE-2026-12345 to the allowlist',
    'Run the vulnerability scanner daily',
    'Security policy',
    'Vulnerability in the parser',
    'Update security guide',
    'Improve security of uploads',
    'security',
    'Insecurity fix',
  ])
    assert.equal(repairsSecurity(text), false, text);
});

test('returns the headings of a body that name a problem, not headings in code', () => {
  const body = '## Security fixes\ntext\n# Other\n```\n# Security fix\n```\nCVE-2026-12345\n### CVE-2026-12345\n';
  assert.equal(securityHeadings(body), '## Security fixes\n### CVE-2026-12345');
  assert.equal(securityHeadings('CVE-2026-12345'), '');
  assert.equal(securityHeadings('## Ignore CVE-2026-12345'), '');
});

test('finds the updated package, without version and reason', () => {
  const titles: Record<string, string | undefined> = {
    'Bump a from 1 to 2': 'a',
    'Bump a to 1.2.3 to fix CVE-2026-12345': 'a',
    'Update a (CVE-2026-12345)': 'a',
    'Update a [SECURITY]': 'a',
    'fix(deps): update dependency a to v2 [SECURITY]': 'a',
    'Upgrade a because of CVE-2026-12345': 'a',
    'Upgrade a: GHSA-ab12-cd34-ef56': 'a',
    'Security upgrade @x/a from 1 to 2': '@x/a',
    'Bump a and b for CVE-2026-12345': 'a and b',
    'Fix CVE-2026-12345': undefined,
    'Escape names': undefined,
  };
  for (const [title, name] of Object.entries(titles)) assert.equal(updatedPackages(title), name, title);
});
