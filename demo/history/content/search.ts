/** Lists changes to search, people and places, by release. The texts are written by hand. */

import { type AreaContent, change, feature, fix, report, wish } from '../change.ts';

export const search: AreaContent = {
  area: 'search',
  changes: {
    'v1.0.0': [
      feature(
        'Find pictures by date, camera and place',
        'The search field understands `camera:`, `place:` and dates such as `2019-07` or `summer 2019`.',
      ),
      feature(
        'Suggest while typing',
        'Suggestions come from the library’s own places, cameras, albums and people, the most used first.',
      ),
      fix(
        'Find words with accents when they are typed without',
        'Searching for `zurich` did not find “Zürich”. Both sides are folded before they are compared.',
        {
          closes: [
            report('Search does not find places with umlauts', 'zurich finds nothing, zürich finds 800 pictures.'),
          ],
        },
      ),
    ],
    'v1.1.0': [
      feature(
        'Group faces into people',
        'Faces are compared on your own machine and proposed as groups; nothing leaves the server. A group gets a name once and keeps it.',
        {
          high: true,
          closes: [
            wish(
              'Find all pictures of one person',
              'I would like to type the name of my daughter and see every picture she is in.',
            ),
          ],
          note: 'Shoebox can now group the faces in your pictures. Everything happens on your own server.',
        },
      ),
      fix('Search inside the selected album only', 'The album filter was dropped as soon as a second word was typed.'),
      change(
        'Rebuild the search index in the background',
        'A rebuild locked the index for up to twenty minutes. It is built beside the old one and swapped at the end.',
        { labels: ['performance'] },
      ),
    ],
    'v1.2.0': [
      feature(
        'Look up place names without the internet',
        'A bundled table of 140,000 places turns coordinates into names. No request leaves the server any more.',
        {
          closes: [
            wish(
              'Place names on a machine without internet',
              'Our server has no way out. All pictures show bare coordinates.',
            ),
          ],
        },
      ),
      fix(
        'Merge two people without losing their names',
        'The name of the second person was dropped. It is kept as another name and can be searched for.',
        { closes: [report('Merging people drops a name', 'I merged “Oma” and “Hilde”. Only “Hilde” finds her now.')] },
      ),
    ],
    'v1.3.0': [
      feature(
        'Describe what you look for',
        'Typing “dog on a beach” finds such pictures by a model that runs on the server’s processor. It is off until the administrator switches it on, and needs 2 GB of memory.',
        {
          high: true,
          closes: [
            wish(
              'Search by what is in the picture',
              'I never tag anything. It would be great to just type “red bicycle”.',
            ),
          ],
          note: 'Describe a picture in your own words and let Shoebox find it.',
        },
      ),
      fix('Do not propose faces from posters and screens', 'Flat, evenly lit faces are left out of the proposals.'),
      fix(
        'Return to the same result after opening a picture',
        'Going back ran the search again and started at the top.',
      ),
    ],
    'v2.0.0': [
      feature(
        'Show results on a map',
        'Every search can be shown on a map drawn from tiles you host yourself or from none at all. Dense places are drawn as one circle with a count.',
        {
          closes: [wish('Map view', 'I would like to see where we have been on a map.')],
          note: 'See your search results on a map.',
        },
      ),
      feature(
        'Combine filters with “or” and “not”',
        '`place:rome or place:naples not person:anna` now means what it says. Brackets are understood too.',
      ),
      fix(
        'Find pictures by the name of a shared album',
        'Names of albums shared with you were not part of your index.',
      ),
      change(
        'Halve the memory of the face index',
        'Vectors are kept as 8-bit numbers. On the test library the recall fell by 0.2 % and the memory from 1.9 GB to 0.5 GB.',
        { labels: ['performance'] },
      ),
    ],
    next: [],
  },
};
