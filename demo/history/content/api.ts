/** Lists changes to the API and the command line, by release. The texts are written by hand. */

import { type AreaContent, breaking, change, declined, feature, fix, report, wish } from '../change.ts';

export const api: AreaContent = {
  area: 'api',
  changes: {
    'v1.0.0': [
      feature(
        'Publish the API with a description in OpenAPI',
        'The description is made from the route table and tested against it.',
      ),
      feature(
        'Create tokens with a purpose and an end date',
        'A token is shown once. The list shows when it was last used.',
      ),
      fix('Answer unknown paths with JSON', 'Clients got the page for browsers.'),
    ],
    'v1.1.0': [
      feature(
        'Page through long lists with a cursor',
        'Offsets skipped pictures when others were added meanwhile. Cursors do not; offsets stay until 2.0.',
      ),
      fix('Allow one token to be used from many machines', 'Each use from another address made the token invalid.', {
        closes: [
          report('Token stops working on my second machine', '401 on the laptop as soon as the desktop uses it.'),
        ],
      }),
      feature(
        'Command line with `shoebox upload` and `shoebox export`',
        'One file without dependencies, for Linux, macOS and Windows.',
        {
          closes: [wish('Command line upload', 'I want to upload from cron.')],
        },
      ),
    ],
    'v1.2.0': [
      feature(
        'Webhooks for new pictures and albums',
        'A signed request to an address of your choice, with retries for a day. The page lists the last hundred deliveries.',
        { closes: [wish('Webhook when an album changes', 'I would like to rebuild my web site then.')] },
      ),
      fix('Return times with an offset everywhere', 'Two endpoints answered with local time.'),
    ],
    'v1.3.0': [
      feature('Read-only tokens', 'For picture frames and other devices nobody watches.', {
        closes: [wish('Token for a picture frame', 'It only needs to read one album.')],
      }),
      fix('Send webhooks again after a timeout', 'A receiver that never answered was not counted as failed.', {
        key: 'webhook-timeout',
        position: 'early',
      }),
      change(
        'perf: answer list requests from one query',
        'Takes the album list from 240 ms to 35 ms on the test library.',
        {
          labels: ['performance'],
        },
      ),
    ],
    'v2.0.0': [
      breaking(
        'Remove the first version of the API',
        'All paths under `/api/v1` are gone. They had been marked as deprecated since 1.1.',
        'Move to `/api/v2`:\n\n- `GET /api/v1/photos` → `GET /api/v2/pictures` (cursor instead of offset)\n- `POST /api/v1/upload` → `POST /api/v2/uploads`\n- tokens stay valid\n\nThe log of 1.3 names every client that still uses the old paths.',
        { closes: [wish('Tell us when v1 goes away', 'Please write it in the notes in time.')] },
      ),
      feature(
        'Stream changes of a library',
        'One long request that sends a line for each change, with a cursor to continue from.',
        {
          closes: [wish('Follow changes without polling', 'My sync script asks every minute.')],
        },
      ),
      fix('Limit the size of a search request', 'A very long filter could hold a worker for minutes.', {
        labels: ['security'],
      }),
      feature(
        'Let `shoebox export` write sidecar files',
        'Captions, people and albums go into one XMP file per picture.',
        {
          note: 'Exports now carry captions, people and albums in sidecar files.',
        },
      ),
      declined(
        'GraphQL endpoint',
        'A thin layer over the REST handlers.',
        'Great to see how little code it takes. We cannot promise to keep two APIs in step, though, so we stay with one.',
      ),
    ],
    next: [],
  },
};
