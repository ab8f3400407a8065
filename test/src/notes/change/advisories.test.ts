/** Tests which texts say that a security problem is repaired. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  advisoryIds,
  advisoryLines,
  privateChange,
  referenceLines,
  repairsSecurity,
  securityHeadings,
} from '../../../../src/notes/change/advisories.ts';
import { classify } from '../../../../src/notes/change/classify.ts';
import { updatedPackages } from '../../../../src/notes/change/dependencies.ts';
import { aPull } from '../memory-source.ts';

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

test('a line of a body that is only about public ids counts, a mention does not', () => {
  for (const line of ['CVE-2026-12345', 'Fixes: CVE-2026-12345', 'Security: CVE-2026-1234, CVE-2026-1235'])
    assert.equal(advisoryLines(`Refuse such names.\n\n${line}\nSigned-off-by: Ada`), line);
  for (const line of ['See CVE-2026-12345', 'Like CVE-2026-12345 in a', 'Not affected: CVE-2026-12345'])
    assert.equal(advisoryLines(line), '', line);
});

test('a line that refers to public ids counts only if the change is a fix', () => {
  const body = 'Refuse such names.\n\nRef: GHSA-ab12-cd34-ef56\nSigned-off-by: Ada';
  assert.equal(referenceLines(body), 'Ref: GHSA-ab12-cd34-ef56');
  const sectionOf = (title: string) => classify(aPull(1, { title, body }), []).section;
  assert.equal(sectionOf('fix: gate the host'), 'security');
  assert.equal(sectionOf('Prevent long names in albums'), 'security');
  assert.equal(sectionOf('feat: add a rule for hosts'), 'feature');
  assert.equal(sectionOf('Gate the host'), 'other');
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
    'Bump x/a to v0.3, b to v1.4.0 and c to v1 to address CVE-2026-12345': 'x/a to v0.3, b to v1.4.0 and c to v1',
    'Bump the npm_and_yarn group across 1 directory with 2 updates': 'npm_and_yarn group',
    'Update password check to reject empty tokens (CVE-2026-12345)': undefined,
    'Update cookies after report #77 by @ada (CVE-2026-12345)': undefined,
    'Update @ada (CVE-2026-12345)': undefined,
    'Update https://a.example/1 (CVE-2026-12345)': undefined,
    'Fix CVE-2026-12345': undefined,
    'Escape names': undefined,
  };
  for (const [title, name] of Object.entries(titles)) assert.equal(updatedPackages(title), name, title);
});

test('a merge from a private fork is named by its message, and never by a trailer', () => {
  const subject = 'Merge commit from fork';
  const trailers = [
    'Signed-off-by: Ada <ada@mail.example>',
    'CO-AUTHORED-BY: Ada <ada@mail.example>',
    '* Helped-by: ada',
    'Cc: Ada <ada@mail.example>',
    'Change-Id: I0123456789',
    '---------',
  ];
  for (const line of trailers) {
    assert.equal(privateChange(`${subject}\n\n${line}`), 'Security update', line);
    assert.equal(privateChange(`${subject}\n\n${line}\n\n* Escape names`), 'Escape names', line);
  }
  assert.equal(privateChange(subject), 'Security update');
  assert.equal(privateChange(`${subject}\n\nFix: show <b> and <a@b> as text`), 'Fix: show <b> and <a@b> as text');
  assert.equal(privateChange('Merge branch main\n\nEscape names'), undefined);
});
