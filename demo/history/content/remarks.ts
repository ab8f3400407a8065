/**
 * Lists comments of people on pull requests and issues. Some lines contain addresses and numbers on purpose, so that
 * redaction has something to show. All these addresses and numbers are from ranges reserved for examples.
 */

export const reviewRemarks = [
  'Reads well. One question inline, nothing that blocks.',
  'Tried it on my own library (48,000 pictures): works, and the memory stays flat.',
  'Could you add a test for the empty case? Otherwise ready.',
  'Thanks, that is much simpler than what I had in mind.',
  'The wording of the message is good. Please mention it in the guide as well.',
  '',
  'Checked on Firefox and Safari.',
  'I would rather see this behind the same switch as the rest, but we can do that later.',
];

export const pullRequestRemarks = [
  'Rebased on main, the conflict was only in the changelog of the tests.',
  'Thank you! This has been on my list since the first beta.',
  'The failure on ARM is a timeout of the runner, not this change.',
  'Can this go into the next release? Two of our members wait for it.',
  'I ran it against 192.0.2.44 for a week without a hitch.',
  'If you need a sample file, write to rosa.keller@example.com, it is too large for here.',
  'Measured again after the last commit: the numbers in the description still hold.',
  'Please squash this one, the first two commits do not build.',
];

export const issueRemarks = [
  'Same here, with version 1.2.',
  'I can confirm this on Debian 12 and on a small ARM board.',
  'Here is what helped me: restart the worker, then open the page again.',
  'Happy to test a build. You reach me at jonas.weber@example.org or +44 20 7946 0958.',
  'This would make my evenings a lot shorter.',
  'Does it also happen with a local folder instead of a bucket?',
  'It happens from 198.51.100.23 as well as from 2001:db8::17.',
  'Thank you for the quick answer!',
];

export const branchCommitSubjects = [
  'Cover the new behaviour with tests',
  'Apply suggestions from review',
  'Mention it in the guide',
  'Simplify the error path',
  'Rename for clarity',
];
