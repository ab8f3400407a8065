/** Lists the hand-written changes of the invented project's albums and timeline, by release. */

import { type AreaContent, change, declined, feature, fix, report, wish } from '../change.ts';

export const albums: AreaContent = {
  area: 'albums',
  changes: {
    'v1.0.0': [
      feature(
        'Group pictures into albums',
        'An album is a list of references: a picture can be in many albums and is stored once. Removing it from an album never deletes it.',
        { high: true },
      ),
      feature(
        'Jump through the timeline by month',
        'A scale at the side of the timeline shows the months and lets you drag through them.',
      ),
      fix(
        'Keep the album open when its last picture is removed',
        'The page fell back to the timeline and the empty album could not be found again.',
      ),
    ],
    'v1.1.0': [
      feature(
        'Choose the cover of an album',
        'The first picture used to be the cover. Any picture can be chosen now, and the choice survives sorting.',
        {
          closes: [
            wish('Let me pick the album cover', 'The first picture of most of my albums is a blurred test shot.'),
          ],
        },
      ),
      fix(
        'Sort pictures of the same second by file name',
        'Burst pictures changed places on every visit because their order was left to the database.',
        {
          closes: [
            report(
              'Burst pictures change places on reload',
              'Ten pictures taken in one second are shuffled each time.',
            ),
          ],
        },
      ),
      change(
        'Load the timeline in pages of a day',
        'A month of a wedding photographer is 12,000 pictures. The timeline now asks for days as they come into view.',
        { labels: ['performance'] },
      ),
    ],
    'v1.2.0': [
      feature(
        'Albums that fill themselves by a rule',
        'A smart album keeps a search instead of a list: camera, place, person, date or rating, and any mix of them. It is evaluated when you open it.',
        {
          high: true,
          closes: [
            wish(
              'Album with everything from one camera',
              'I would like an album that always has all pictures from the trail camera.',
            ),
          ],
          note: 'Smart albums collect every picture that matches a rule and stay up to date by themselves.',
        },
      ),
      fix('Count hidden pictures out of the album size', 'The list showed 120, the album 118. Both show 118 now.'),
    ],
    'v1.3.0': [
      feature(
        'Nest albums in folders',
        'Albums can be put into folders up to four levels deep. Folders hold albums only, so nothing changes for the pictures.',
        {
          closes: [wish('Folders for albums', 'With 300 albums the list is hard to use. Years as folders would do.')],
        },
      ),
      fix(
        'Undo the removal of many pictures at once',
        '“Undo” brought back only the last picture of a selection. It now brings back the whole selection.',
      ),
      feature(
        'Load album covers only when they come into view',
        'Covers below the fold are loaded while scrolling, which takes the first paint of a long list from 2.1 s to 0.4 s.',
      ),
    ],
    'v2.0.0': [
      feature(
        'Shared albums that several people can add to',
        'Every member of a shared album may add pictures; the owner may remove any, members only their own. The timeline of each member shows the album’s pictures when they want it to.',
        {
          high: true,
          closes: [
            wish(
              'Let my family add pictures to an album',
              'After each holiday I collect pictures from four phones by hand.',
            ),
          ],
          note: 'Invite others to an album and let them add their own pictures.',
        },
      ),
      fix('Show the right number of days in a trip album', 'A trip over a change of the clocks was one day short.'),
      change('Remember the scroll position of every album', ''),
      fix(
        'Keep captions when pictures move between albums',
        'Captions belong to the picture in the album. Moving copied the reference without the caption.',
        {
          closes: [
            report(
              'Captions vanish when I move pictures',
              'Select pictures with captions, move them to another album: the captions are gone.',
            ),
          ],
        },
      ),
      declined(
        'Sort albums by dominant colour',
        'A playful ordering for the album list.',
        'Lovely idea, but nobody has asked for it and we would have to keep it working. Closing for now.',
      ),
    ],
    next: [
      fix(
        'Keep members of a shared album when its owner is renamed',
        'The membership list was keyed by name. It is keyed by account id now.',
      ),
    ],
  },
};
