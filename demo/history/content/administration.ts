/** Lists changes to the installation and operation of the service, by release. The texts are written by hand. */

import { type AreaContent, breaking, change, declined, feature, fix, report, wish } from '../change.ts';

export const administration: AreaContent = {
  area: 'admin',
  changes: {
    'v1.0.0': [
      feature(
        'Install with one container and one volume',
        'Database, cache and web server are inside. Each of them can be moved out later.',
      ),
      breaking(
        'Read the database address from one setting',
        'Five settings for host, port, name, user and password become one.',
        'Replace `DB_HOST`, `DB_PORT`, `DB_NAME`, `DB_USER` and `DB_PASSWORD` by `SHOEBOX_DATABASE_URL`.',
      ),
      fix('Wait for the database at start', 'After a power cut both start together, and the service gave up first.', {
        closes: [report('Service is down after a power cut', 'It works when I start it again by hand.')],
      }),
    ],
    'v1.1.0': [
      feature(
        'Show the state of background work',
        'What waits, what runs, what failed and why, with a button to try again.',
      ),
      fix('Stop within ten seconds', 'A running conversion held up the stop until it was killed.'),
      feature(
        'Metrics for Prometheus',
        'Requests, queue lengths, storage and conversion times. On a port of its own, off at first.',
        {
          closes: [wish('Prometheus metrics', 'I would like an alert before the disk is full.')],
        },
      ),
    ],
    'v1.2.0': [
      feature(
        'Check an installation with `shoebox doctor`',
        'Looks at database, storage, mail, clock and certificates and says what to do.',
      ),
      fix('Rotate the log by size', 'One installation had a log of 80 GB.', {
        closes: [report('Log file fills the disk', 'There is no limit to its size.')],
      }),
    ],
    'v1.3.0': [
      feature(
        'Run conversions on a second machine',
        '`shoebox worker` takes work from the queue over the network. Files travel through the object store.',
        {
          closes: [wish('Use my desktop for video conversion', 'The server is small, the desktop is bored.')],
        },
      ),
      fix(
        'Do not start two migrations at once',
        'Two containers started together both changed the tables. An advisory lock lets one wait.',
        {
          high: true,
        },
      ),
      change('Explain why an update is not offered', 'The page said “up to date” also when the check had failed.'),
    ],
    'v2.0.0': [
      breaking(
        'Move all settings to `shoebox.toml`',
        'Environment variables had grown to ninety. One commented file takes their place; secrets may still come from the environment.',
        'Run `shoebox config convert > shoebox.toml` with your old environment, look it over and mount it at `/etc/shoebox/shoebox.toml`. The service refuses to start with old variables and names each of them.',
        { high: true },
      ),
      breaking(
        'Require PostgreSQL 15',
        'The stream of changes relies on logical decoding as it is since version 15.',
        'Update the database first. The bundled container does it by itself on its first start and keeps the old files in `postgres-old` for you to delete.',
        { closes: [wish('Say which database versions work', 'I run 13 and would like to know before an update.')] },
      ),
      feature(
        'A record of what administrators did',
        'Who changed which setting, account or album, and when. Kept for a year, exportable.',
        {
          closes: [wish('Audit trail', 'Three of us run the server of our club.')],
        },
      ),
      fix(
        'Send no mail to accounts that are switched off',
        'The daily summary did not look at the state of the account.',
      ),
      declined(
        'Bundle a mail server',
        'Adds a mail server to the container.',
        'Running a mail server well is a product of its own. We will improve the relay settings instead.',
      ),
    ],
    next: [],
  },
};
