/** A security release that was pushed from private branches, without pull requests: a gateway for single sign-on. */
import { between, direct, pull, release, type Style, sha } from './style.ts';

const oauth =
  '[CHANGED] oauth: refuse redirects to `http://` addresses\n\nBREAKING CHANGE: Register an `https://` address for each client.';

const steps = [
  pull(640, 'Update dependency html-cleaner to v3.2.1 [SECURITY]', {
    by: 'renovate[bot]',
    bot: true,
    body: 'Fixes an injection in html-cleaner.',
  }),
  pull(641, 'Bump undertow-http from 2.3.10 to 2.3.12 to fix CVE-2026-20881', { by: 'dependabot[bot]', bot: true }),
  direct(
    'theodora-p',
    '[FIXED] saml: verify the signature of every assertion (CVE-2026-31007)\n\nAn unsigned second assertion was accepted.',
    '[FIXED] session: end all sessions when a password changes\n\nGHSA-7xk2-qm4p-v9rc',
    'Merge branch security/saml into main',
  ),
  direct('theodora-p', oauth),
  direct(null, '[FIXED] Time out idle connections of the admin console'),
  direct('bram-dw', 'Merge pull request from GHSA-h3qw-55xv-2c8m\n\nLimit the depth of `groups` claims'),
  direct('bram-dw', 'Merge commit from fork\n\n* Compare one-time codes in constant time\n\n* review'),
  direct('bram-dw', '[ADDED] audit: record failed logins with their address'),
  direct('bram-dw', 'ci: build the private branches', 'Update dependencies'),
  pull(644, 'Fix the link to the sign-in page', { by: 'bram-dw' }),
  pull(645, 'Security: rate limit `POST /token`', { by: 'theodora-p' }),
  pull(646, 'Add CVE-2026-11111 to the ignore file of the scanner', { by: 'bram-dw' }),
  direct('theodora-p', 'Prepare changelog', 'Release 4.9.3'),
];

export const security: Style = {
  name: 'security',
  memory: release('saltmarsh/gatehouse', ['4.9.2', '4.9.3'], steps),
  bounds: between('4.9.2', '4.9.3'),
  breaking: [`commit:${sha(oauth).slice(0, 12)}`],
};
