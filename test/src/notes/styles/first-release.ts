/** The first release of a repository, as a range of numbers from 1: a command line for time sheets. */
import { direct, issue, pull, records, type Style, sha } from './style.ts';

const steps = [
  direct('ruadhan', 'Initial commit'),
  pull(1, 'Add license and README', { by: 'ruadhan' }),
  pull(2, 'Add `clockwork start` and `clockwork stop`', { by: 'ruadhan' }),
  pull(3, 'Set up CI', { by: 'ruadhan' }),
  pull(5, 'Add a weekly report', { by: 'ishani', linkedIssues: [4] }),
  pull(6, 'Fix rounding of half minutes', { by: 'ishani' }),
  pull(7, 'Store entries in `~/.clockwork/entries.db`', { by: 'ruadhan' }),
  pull(9, 'Export to CSV', { by: 'cosima-v' }),
  pull(10, 'Use colors only if stdout is a terminal', { by: 'cosima-v' }),
  pull(11, 'Rename command `log` to `list`', { by: 'ruadhan', labels: ['breaking'] }),
  pull(12, 'Allow notes on entries', { by: 'ishani', linkedIssues: [8] }),
  pull(13, 'Release 0.1.0', { by: 'ruadhan' }),
];

export const firstRelease: Style = {
  name: 'first-release',
  memory: records(
    'hourglass/clockwork',
    [{ branch: 'main', from: 10, start: sha('root'), steps, tags: { 'v0.1.0': steps.length - 1 } }],
    {
      issues: [
        issue(4, 'Weekly report', { labels: ['enhancement'], author: { login: 'ruadhan', bot: false } }),
        issue(8, 'Would be nice to add a note', { author: { login: 'payroll-pam', bot: false } }),
      ],
    },
  ),
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 13 },
  breaking: ['pr:11'],
};
