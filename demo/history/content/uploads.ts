/** Lists the hand-written changes of the area `uploads` (uploading and importing), by release. */

import { type AreaContent, breaking, change, declined, feature, fix, report, wish } from '../change.ts';

export const uploads: AreaContent = {
  area: 'uploads',
  changes: {
    'v1.0.0': [
      feature(
        'Resume interrupted uploads where they stopped',
        'Uploads are cut into 8 MiB parts and each part is confirmed on its own. When the connection drops, the browser asks which parts arrived and sends the rest.',
        {
          high: true,
          closes: [
            wish(
              'Uploads start from zero after a lost connection',
              'I upload from a train. A 3 GB video never makes it because each tunnel starts it again.',
            ),
          ],
        },
      ),
      fix(
        'Keep the capture time of photos without a time zone',
        'Cameras that write no offset were read as UTC. The time is now kept as written and shown without conversion.',
        {
          closes: [
            report(
              'Photos from my old camera are shifted by two hours',
              'Every picture from the compact camera appears two hours later than it was taken.',
            ),
          ],
        },
      ),
      change(
        'Show one progress bar for a whole batch',
        'Two hundred little bars told nobody anything. The panel now shows the batch, and the files behind a fold.',
      ),
    ],
    'v1.1.0': [
      feature(
        'Import a folder from the server’s own disk',
        'Administrators can point Shoebox at a mounted folder. Files are copied, never moved, and an import can be stopped and taken up again.',
        {
          closes: [
            wish(
              'Import pictures that are already on the server',
              'My archive sits on the same machine. Uploading 400 GB through the browser to the disk it came from feels wrong.',
            ),
          ],
          note: 'You can now import a folder that is already on the server, without uploading it again.',
        },
      ),
      fix(
        'Accept HEIC pictures with an upper-case file ending',
        'The type check compared endings as written. It now looks at the first bytes and ignores the name.',
        { titleAtMerge: 'fix heic' },
      ),
      fix(
        'Stop offering files that are still being written by the camera',
        'Watched folders picked up half-copied files. A file has to keep its size for five seconds before it is taken.',
      ),
      declined(
        'Upload straight from a web address',
        'Adds a field to paste a link into.',
        'Thank you for the work. Fetching arbitrary addresses from the server opens a door we would then have to guard, so we will leave this to the command line.',
      ),
    ],
    'v1.2.0': [
      feature(
        'Recognise duplicates before they are sent',
        'The browser hashes each file first and asks the server. Known files are linked to the album and skipped.',
        {
          closes: [
            wish(
              'Do not upload what I have already uploaded',
              'I upload the whole card every time because I never remember where I stopped.',
            ),
          ],
        },
      ),
      change(
        'perf(uploads): read image metadata in a worker',
        'Reading metadata of large raw files held up the page for seconds. It runs in a worker now.',
        { labels: ['performance'] },
      ),
    ],
    'v1.3.0': [
      fix(
        'Finish uploads over 4 GiB',
        'The part counter was a 32-bit number of bytes. It counts parts now, and the test suite uploads a sparse file of 6 GiB.',
        {
          key: 'large-upload',
          position: 'early',
          high: true,
          closes: [
            report(
              'Uploads over 4 GB stop at 99 %',
              'Long videos go up to 99 %, then the bar waits for ever. The server log is silent.',
            ),
          ],
          note: 'Videos larger than 4 GB now upload completely.',
        },
      ),
      feature(
        'Pair live photos with their video when they arrive apart',
        'The still and the clip of a live photo may come minutes apart and in any order. They are joined by their content id as soon as both are there.',
      ),
      fix(
        'Tell why a file was refused',
        'The upload panel said “failed” for everything. It now names the reason: type not supported, over the quota, or already in the library.',
      ),
    ],
    'v2.0.0': [
      feature(
        'Drop whole folders and keep them as albums',
        'Folders dropped on the page can become albums of the same name. Nested folders become one album each, joined by “ / ”.',
        {
          high: true,
          closes: [
            wish(
              'Keep my folder structure when I upload',
              'I have sorted my pictures into folders for fifteen years and would like to see them as albums.',
            ),
          ],
          note: 'Drop a folder on the page and its pictures arrive as an album of the same name.',
        },
      ),
      breaking(
        'Refuse uploads without a content hash',
        'Clients have to send the SHA-256 of the file with the first part. Without it the server had to read every file twice.',
        'Programs that upload through the API must send `X-Content-Sha256` with the first part. The mobile apps from version 1.9 and the command line from 1.3 already do; older ones are answered with 400.',
      ),
      fix(
        'Keep the order of files inside one batch',
        'Parallel parts finished in any order, so burst pictures taken in the same second were shuffled.',
      ),
      change(
        'Skip thumbnails and sidecar files of other photo programs on import',
        'Folders such as `.thumbnails` and files such as `.picasa.ini` were offered as broken pictures.',
      ),
    ],
    next: [
      feature('Pause a running upload for the night', 'A batch can be given the hours in which it may run.', {
        outcome: 'open',
      }),
    ],
  },
};
