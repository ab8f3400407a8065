/** Lists changes to accounts, sign-in and permissions, by release. The texts are written by hand. */

import { type AreaContent, breaking, change, declined, feature, fix, report, wish } from '../change.ts';

export const accounts: AreaContent = {
  area: 'accounts',
  changes: {
    'v1.0.0': [
      feature(
        'Invite people by e-mail',
        'An invitation is good for one account and seven days. It can be sent again and withdrawn.',
      ),
      breaking(
        'Store passwords with Argon2',
        'Replaces the hash used in the betas. Passwords are converted when people next sign in.',
        'Accounts that do not sign in before 1.1 have to set a new password. Run `shoebox accounts --old-hash` to list them.',
      ),
      fix('Sign out everywhere when the password changes', 'Other sessions stayed signed in.', {
        labels: ['security'],
      }),
    ],
    'v1.1.0': [
      feature(
        'Second factor by an authenticator app',
        'Time-based codes with ten recovery codes. Administrators can make it a duty for everyone.',
        {
          high: true,
          closes: [wish('Two-factor sign-in', 'The service is on the internet. A password is not enough.')],
        },
      ),
      fix('Accept e-mail addresses with a plus sign', 'The form refused them, the invitation did not.', {
        closes: [report('Cannot change my address to one with a plus', 'The form says the address is not valid.')],
      }),
      change('Show when and where an account was last used', 'City and browser only, kept for 30 days.'),
    ],
    'v1.2.0': [
      feature(
        'Give guests read access to single albums',
        'A guest account sees the albums it was given and nothing else, and does not count against the number of people.',
      ),
      fix('Keep the session when the browser is restarted', 'The cookie had no lifetime in one of two paths.', {
        closes: [report('Have to sign in every morning', '“Stay signed in” is ticked.')],
      }),
    ],
    'v1.3.0': [
      feature(
        'Sign in with a passkey',
        'Passkeys can replace the password or stand beside it. The last way to sign in cannot be removed.',
        {
          high: true,
          closes: [wish('Passkeys', 'My parents forget passwords, but they can unlock their phone.')],
          note: 'Sign in with a passkey instead of a password.',
        },
      ),
      fix('Name the account in the recovery message', 'People with two accounts reset the wrong one.'),
      change(
        'Limit sign-in attempts by account as well as by address',
        'Attempts from many addresses against one account are slowed down too.',
        { labels: ['security'] },
      ),
    ],
    'v2.0.0': [
      feature(
        'Single sign-on with OpenID Connect',
        'Works with every provider that publishes its configuration. Groups can be mapped to roles, and accounts are made on the first visit when that is wanted.',
        {
          high: true,
          closes: [
            wish('OpenID Connect', 'Our club has one sign-in for everything. Shoebox is the last one outside.'),
            wish('Map groups of the provider to roles', 'Members of “board” should be administrators.'),
          ],
          note: 'Sign in with your organisation’s own account (OpenID Connect).',
        },
      ),
      breaking(
        'Replace the admin password by named administrators',
        'The built-in account `admin` is gone. Every administrator has an account of their own, and what they do is recorded under their name.',
        'Before the update, give at least one account the role “administrator” (Settings → People). If you forget it, run `shoebox accounts grant EMAIL administrator` on the server afterwards.',
        { note: 'The built-in account “admin” no longer exists. Give a named account the role “administrator” first.' },
      ),
      fix('Send invitations in the language of the guest', 'The language is chosen with the invitation.'),
      fix(
        'Let administrators remove a lost second factor',
        'The button was shown to owners only, although administrators have the right.',
        {
          closes: [report('Cannot reset the second factor of a user', 'The documentation says I can, but no button.')],
        },
      ),
      declined(
        'Sign in with a social network',
        'Adds buttons for three networks.',
        'With OpenID Connect merged, this is covered for those who want it, without code for single companies.',
      ),
    ],
    next: [change('Explain passkeys on the sign-in page', '', { outcome: 'open' })],
  },
};
