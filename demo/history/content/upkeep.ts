/**
 * Lists changes without an area: documentation, tests, tooling, dependency updates by the bot, and reverts. Backports
 * and release pull requests are not listed here, because `schedule.ts` makes them from the releases.
 */

import { type AreaContent, type Change, change, fix, report } from '../change.ts';

function documentation(title: string, body: string): Change {
  return change(title, body, { labels: ['documentation'] });
}

function bump(name: string, from: string, to: string): Change {
  const body = `Bumps \`${name}\` from ${from} to ${to}.\n\nYou can trigger a rebase by commenting \`@harbourmaster rebase\`.`;
  return change(`Bump ${name} from ${from} to ${to}`, body, { labels: ['dependencies'], byBot: true });
}

function revert(key: string, title: string, body: string): Change {
  return change(`Revert "${title}"`, body, { reverts: key, position: 'late' });
}

export const upkeep: AreaContent = {
  area: null,
  changes: {
    'v1.0.0': [
      documentation('Write the installation guide', 'From an empty machine to the first picture, on one page.'),
      change('ci: run the tests on ARM too', ''),
      bump('image-codec', '3.1.0', '3.2.0'),
      bump('router-kit', '7.0.1', '7.1.0'),
    ],
    'v1.1.0': [
      documentation('Explain how faces are grouped and where the data stays', ''),
      change('test: replace the clock in trash tests', 'They failed on the last day of each month.'),
      bump('image-codec', '3.2.0', '3.2.4'),
      bump('postgres-client', '5.0.0', '5.1.0'),
      bump('face-embedder', '0.8.2', '0.9.0'),
    ],
    'v1.2.0': [
      documentation('docs: describe backup and restore step by step', 'Tried out by two people who had never done it.'),
      change('chore: drop support code for the betas', '', { labels: ['skip-changelog'] }),
      bump('router-kit', '7.1.0', '7.2.1'),
      bump('place-table', '2025.4', '2026.1'),
      bump('image-codec', '3.2.4', '3.3.0'),
    ],
    'v1.3.0': [
      documentation('Add a page for reverse proxies', 'Settings for the four most common ones, tested in CI.'),
      change('build: sign release archives', 'Signatures lie beside the archives; the guide tells how to check them.'),
      fix('fix: show translated dates in the mail summary', 'Found while translating to Finnish.'),
      bump('video-pipeline', '11.2.0', '11.3.0'),
      bump('postgres-client', '5.1.0', '5.2.0'),
      bump('video-pipeline', '11.3.0', '11.4.2'),
      bump('session-cookie', '2.4.0', '2.4.1'),
    ],
    'v2.0.0': [
      documentation(
        'Write the guide for the update to 2.0',
        'One page in the order of the work, with the time each step takes.',
      ),
      documentation('docs: list all settings of `shoebox.toml`', 'Made from the schema, so it cannot go out of date.'),
      change('Say “picture” everywhere', 'Texts used photo, image, picture and item for the same thing.'),
      change('feat(albums): play a sound when a shared album changes', 'Asked for in the chat.', {
        key: 'album-sound',
        position: 'early',
      }),
      revert(
        'album-sound',
        'feat(albums): play a sound when a shared album changes',
        'It plays for one’s own changes too. Out until that is solved.',
      ),
      revert(
        'avif-thumbnails',
        'Keep thumbnails in AVIF',
        'Some televisions cannot show them and there is no way to ask. Back to WebP for now.',
      ),
      bump('image-codec', '3.3.0', '4.0.0'),
      bump('router-kit', '7.2.1', '8.0.0'),
      bump('image-codec', '4.0.0', '4.0.1'),
      bump('@relay/openid', '1.6.0', '1.7.2'),
      bump('postgres-client', '5.2.0', '6.0.0'),
      bump('router-kit', '8.0.0', '8.0.2'),
    ],
    next: [
      bump('video-pipeline', '11.4.2', '11.5.0'),
      documentation('Correct the order of steps in the 2.0 guide', ''),
    ],
  },
};

/** Reports that were closed without a pull request, each with the answer of the person who closed it. */
export const answeredReports = [
  {
    ...report('How do I change the port?', 'I cannot find it in the settings.'),
    labels: ['question'],
    answer: 'It is `server.port`; the guide has a table of all settings.',
  },
  {
    ...report('Same picture twice in the timeline', 'Since the last update.'),
    labels: ['duplicate'],
    answer: 'This is the edited-twice report in other words, so let us go on there.',
  },
  {
    ...report('Thumbnails missing on a network disk', 'They come back after a restart.'),
    labels: ['type: bug', 'area: storage'],
    answer: 'The mount was read-only for a moment, as your log shows. Closing, please write again if it returns.',
  },
  {
    ...report('Translate the app to Esperanto', 'I could help.'),
    labels: ['wontfix'],
    answer: 'We only ship languages that two people keep up. Happy to reopen with a second person.',
  },
  {
    ...report('Search is slow on the first query of the day', 'About four seconds, then fast.'),
    labels: ['type: bug', 'area: search'],
    answer: 'The new place table solved it here and for two others; closing as done.',
  },
];
