/** A repository whose template has a heading for the release note, with one or several lines: bookkeeping software. */
import { between, issue, pull, release, type Style } from './style.ts';

function notes(text: string): string {
  return `## Summary\n\nSee the ticket.\n\n## Release notes\n\n${text}\n\n## Checklist\n\n- [x] Tests\n- [ ] Screenshots\n`;
}

function entry(text: string): string {
  return `<!-- Thanks! -->\n\n### Description\n\nDone as discussed.\n\n### Changelog entry\n\n${text}\n\n### Checklist\n\n- [x] I ran the tests\n`;
}

const steps = [
  pull(77, 'Invoices in other currencies', {
    by: 'elif-d',
    body: notes(
      '- [FEATURE] Invoices: choose a currency for each customer\n- [BUGFIX] Invoices: totals are rounded once, at the end',
    ),
  }),
  pull(79, 'LEDG-310 Bank feed rewrite', {
    by: 'jorun',
    body: entry(
      '* feat: Read CAMT.053 statements\n* fix: Duplicate transactions after a second import\n* perf: Match 10,000 transactions in 2 s',
    ),
  }),
  pull(80, 'Rework tax report', {
    by: 'elif-d',
    body: notes('The tax report lists reverse-charge invoices separately.'),
  }),
  pull(81, 'Update lockfile', { by: 'jorun', body: notes('N/A') }),
  pull(83, 'fix: ledger export', {
    by: 'bashir-q',
    body: entry('Fixed: the export `journal_2026.xml` was missing entries of the last day. Thanks @nordlicht (#71)!'),
    linkedIssues: [71],
  }),
  pull(84, 'New permission model', {
    by: 'elif-d',
    body: notes(
      '**Breaking:** users with the role “viewer” can no longer export.\n\n**Upgrade**\n\nGive them the role `accountant` before the update.',
    ),
  }),
  pull(85, 'Make the sidebar narrower', { by: 'bashir-q', body: entry('') }),
  pull(87, 'Receipts by mail', {
    by: 'jorun',
    body: notes(
      '* ✨ Receipts: forward a receipt to your own address and it is filed\n* 🐛 Receipts: photos in landscape format are no longer turned',
    ),
  }),
  pull(88, 'Fix flaky date test', { by: 'bashir-q', body: entry('None') }),
  pull(90, 'Close the fiscal year', {
    by: 'elif-d',
    body: notes(
      'Close a fiscal year under **Settings → Years**. Closed years are read-only. See https://git.example/halfmoon/ledgerleaf/wiki/years for details.',
    ),
  }),
];

export const noteHeadings: Style = {
  name: 'note-headings',
  memory: release('halfmoon/ledgerleaf', ['2026.1', '2026.2'], steps, {
    issues: [issue(71, 'Journal export misses the last day', { author: { login: 'nordlicht', bot: false } })],
  }),
  bounds: between('2026.1', '2026.2'),
  breaking: ['pr:84'],
};
