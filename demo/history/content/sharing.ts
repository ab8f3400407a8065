/** Lists the hand-written changes of the area `sharing` (shared links and invitations), by release. */

import { type AreaContent, breaking, change, declined, feature, fix, report, wish } from '../change.ts';

export const sharing: AreaContent = {
  area: 'sharing',
  changes: {
    'v1.0.0': [
      feature(
        'Share an album by a secret link',
        'A link holds 128 random bits and shows one album and nothing else. It can be withdrawn at any time.',
        { high: true },
      ),
      fix(
        'Withdraw links at once',
        'A withdrawn link kept working until the cache of the proxy ran out. Shared pages are sent with `no-store` now.',
        { labels: ['security'] },
      ),
      change('Word the share dialogue for people who have never used it', ''),
    ],
    'v1.1.0': [
      feature(
        'Protect a share link with a password',
        'The password is asked once a browser and kept for a week. Ten wrong ones lock the link for an hour.',
        {
          closes: [wish('Password on shared albums', 'Links get forwarded. A password told on the phone would help.')],
        },
      ),
      feature(
        'Let visitors download a whole album',
        'The archive is made while it is sent, so it starts at once and needs no space on the server.',
      ),
      fix(
        'Show shared videos on phones',
        'Visitors were given the original instead of the converted file, which many phones cannot play.',
        {
          closes: [report('Grandparents cannot play videos', 'The shared album shows a black frame on their tablet.')],
        },
      ),
    ],
    'v1.2.0': [
      feature(
        'Hide the place of shared pictures',
        'Coordinates are removed from shared pictures and from downloads unless the owner ticks a box.',
        {
          labels: ['security'],
          closes: [
            report(
              'Downloaded pictures contain my home address',
              'Pictures downloaded from a share link still hold the coordinates of our house.',
            ),
          ],
          note: 'Places are now removed from shared pictures by default.',
        },
      ),
      fix('Count the visits of a link only once a day', 'Every thumbnail counted as a visit.'),
    ],
    'v1.3.0': [
      feature(
        'Collect pictures from guests by a link',
        'An upload link lets guests send pictures into one album without an account. What they send waits until the owner lets it in.',
        {
          closes: [
            wish(
              'Guests of a wedding should be able to upload',
              'We would like to put a code on the tables and get everybody’s pictures.',
            ),
          ],
          note: 'Let guests send you their pictures by a link, without an account.',
        },
      ),
      fix('Keep the language of the visitor on shared pages', 'Shared pages followed the language of the owner.'),
      fix(
        'Refuse expired links for album archives',
        'The page of an expired link was refused, but the archive behind it could still be fetched by someone who knew its address.',
        {
          key: 'expired-archive',
          position: 'early',
          high: true,
          labels: ['security'],
          note: 'Expired share links no longer allow an album to be downloaded.',
        },
      ),
    ],
    'v2.0.0': [
      breaking(
        'Let share links expire after 90 days',
        'New links expire after 90 days unless another time is chosen. Links made before the update keep working and are listed with “never expires”.',
        'Nothing has to be done for existing links. If you rely on links that never expire, set `sharing.default_days = 0` in `shoebox.toml` before people create new ones.',
        { note: 'New share links expire after 90 days. You can choose another time when you create a link.' },
      ),
      feature(
        'Tell the owner when guests have sent pictures',
        'One message a day and album, by e-mail or in the app, with a button that lets everything in.',
      ),
      fix(
        'Show the picture, not the login page, in link previews',
        'Messengers that fetch a preview were sent to the login page.',
        {
          closes: [report('Link preview shows a login page', 'When I send a share link, the preview says “Sign in”.')],
        },
      ),
      fix(
        'Allow a share password to hold spaces at its end',
        'The form trimmed the password when it was set but not when it was asked.',
      ),
      declined(
        'Show visitor names on shared albums',
        'Asks visitors for a name before the album opens.',
        'We talked about this in the last meeting: people who get a link should not have to say who they are. Closing, with thanks.',
      ),
    ],
    next: [feature('Print a share link as a code for the wall', 'A page with a large code and the name of the album.')],
  },
};
