/** Lists changes to storage, backups and the object store, by release. The texts are written by hand. */

import { type AreaContent, breaking, change, feature, fix, report, wish } from '../change.ts';

export const storage: AreaContent = {
  area: 'storage',
  changes: {
    'v1.0.0': [
      feature(
        'Store originals in any S3-compatible object store',
        'Besides a local folder, originals can live in an object store. Thumbnails stay on the local disk.',
        { high: true },
      ),
      feature(
        'Verify originals by their hash every month',
        'A slow background pass reads every original and compares it with the hash taken at the upload. Differences are shown on the storage page.',
      ),
      fix(
        'Free the space of deleted pictures after the trash is emptied',
        'Thumbnails of deleted pictures stayed on the disk.',
      ),
    ],
    'v1.1.0': [
      feature(
        'Write a backup to a second place',
        'Each new original is copied to a second folder or bucket. The storage page shows how far the copy is behind.',
        {
          high: true,
          closes: [
            wish('Second copy of the originals', 'A disk died last week. I would sleep better with a second copy.'),
          ],
          note: 'Keep a second copy of every original in another folder or bucket.',
        },
      ),
      fix(
        'Retry failed writes to the object store',
        'A single 503 failed the upload. Writes are tried five times with a growing delay.',
      ),
      change('refactor: one reader for local files and objects', 'No change in behaviour; removes 400 lines.', {
        labels: ['skip-changelog'],
      }),
    ],
    'v1.2.0': [
      feature(
        'Set a quota for each person',
        'Quotas count originals only. At 90 % the person is told, at 100 % uploads are refused with a clear message.',
        { closes: [wish('Limit how much one user may store', 'My brother filled the disk with drone videos.')] },
      ),
      fix(
        'Do not count shared originals twice',
        'Two people with the same picture each paid for it although it is stored once.',
      ),
    ],
    'v1.3.0': [
      fix(
        'Close files after hashing',
        'The monthly check left each file open and stopped at the limit of the system, usually 1,024.',
        {
          key: 'close-files',
          position: 'early',
          closes: [
            report('Storage check stops with “too many open files”', 'It stops after about a thousand pictures.'),
          ],
        },
      ),
      feature(
        'Move a library between stores while it is in use',
        '`shoebox storage move` copies first, switches reads picture by picture and deletes last. It can be stopped and taken up again.',
        {
          closes: [
            wish(
              'Move from disk to a bucket without downtime',
              'Copying 2 TB takes days. We cannot be offline so long.',
            ),
          ],
        },
      ),
      feature(
        'Keep thumbnails in AVIF',
        'New thumbnails are 40 % smaller at the same quality. Old ones are converted when they are next looked at.',
        { key: 'avif-thumbnails', position: 'late' },
      ),
    ],
    'v2.0.0': [
      breaking(
        'Name originals by their content',
        'Originals used to be stored under the date of their upload. They are now stored under their SHA-256, which makes duplicates impossible and lets a copy be checked without the database.',
        '1. Make a backup.\n2. Stop the service and run `shoebox migrate storage`. It renames files in place and needs no extra space; a million files take about ten minutes on a local disk.\n3. Start 2.0.\n\nScripts that read the storage folder directly have to look names up with `shoebox storage find`.',
        {
          high: true,
          note: 'Originals are stored under new names. Run `shoebox migrate storage` once before you start 2.0.',
        },
      ),
      feature(
        'Restore single albums from the backup',
        '`shoebox restore --album NAME` brings back an album with its pictures, captions and members.',
        { closes: [wish('Restore one album', 'Someone emptied an album. Restoring everything is too much.')] },
      ),
      fix(
        'Resume the second copy after the network was away',
        'The copy waited for a connection that would never answer. It has a time limit now and starts again by itself.',
        {
          closes: [report('Backup copy hangs after a router restart', 'The copy stays at the same number for days.')],
          high: true,
        },
      ),
      change(
        'Read objects in ranges for video',
        'Seeking in a video fetched the whole file from the object store first.',
        { labels: ['performance'] },
      ),
      fix(
        'Show sizes in the units of the file system',
        'The page showed 1,000-based units, the disk 1,024-based ones.',
      ),
    ],
    next: [
      feature('Freeze originals against deletion for a set time', 'Uses the object lock of the store.', {
        outcome: 'open',
      }),
    ],
  },
};
