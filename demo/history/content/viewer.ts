/** Lists changes to the picture viewer and the editor, by release. The texts are written by hand. */

import { type AreaContent, change, declined, feature, fix, report, wish } from '../change.ts';

export const viewer: AreaContent = {
  area: 'viewer',
  changes: {
    'v1.0.0': [
      feature(
        'Look at pictures in full screen',
        'Arrow keys, swipe and a slide show. The next picture is loaded ahead.',
      ),
      feature(
        'Play videos in the browser',
        'Videos are converted once, in the background, to a format every browser plays.',
      ),
      fix(
        'Turn pictures upright',
        'Browsers disagree on the orientation flag. Thumbnails and previews are turned when they are made.',
      ),
    ],
    'v1.1.0': [
      feature('Show raw files of common cameras', 'The embedded preview is used at once, a full development on zoom.', {
        closes: [wish('Raw support', 'My raw files show as grey boxes.')],
      }),
      fix('Keep the zoom when moving to the next picture', 'Comparing two pictures was impossible.', {
        closes: [report('Zoom is lost on the next picture', 'Zoom in, press right: the next picture is small again.')],
      }),
      change(
        'Use the wide colour range of modern screens',
        'Previews keep their colour profile instead of being cut to sRGB.',
      ),
    ],
    'v1.2.0': [
      feature(
        'Crop and straighten without touching the original',
        'Edits are stored as steps. “Back to original” is always there.',
        {
          high: true,
          note: 'Crop and straighten pictures; the original is always kept.',
        },
      ),
      fix('Stop the video when the viewer is closed', 'The sound went on.', {
        closes: [report('Video keeps playing after closing', 'I hear it but cannot find it.')],
      }),
    ],
    'v1.3.0': [
      feature(
        'Compare two pictures side by side',
        'Zoom and position are shared. One key keeps the left, another the right.',
        {
          closes: [wish('Compare similar pictures', 'To pick the one where all eyes are open.')],
        },
      ),
      fix(
        'Show panoramas without stretching',
        'The viewer assumed a full sphere. Partial panoramas now keep their angles.',
      ),
      change(
        'Make the viewer usable with a screen reader',
        'Every button has a name, the caption is announced, focus stays inside.',
        {
          labels: ['accessibility'],
          closes: [report('Viewer buttons have no names', 'My screen reader says “button, button, button”.')],
        },
      ),
    ],
    'v2.0.0': [
      feature(
        'Adjust light and colour',
        'Exposure, contrast, white balance and a curve, stored as steps like a crop. Edits can be copied to a selection.',
        {
          closes: [wish('Simple light correction', 'Most of my pictures only need a little more light.')],
          note: 'Correct light and colour right in the viewer, and copy the edit to other pictures.',
        },
      ),
      fix('Play HDR video with the right brightness', 'The curve was applied twice, which gave a washed-out picture.', {
        closes: [
          report('Phone videos look grey', 'Videos from a new phone are pale in Shoebox and fine on the phone.'),
        ],
      }),
      fix('Show the date in the time zone of the picture', 'The panel converted to the time zone of the viewer.'),
      change(
        'viewer: load the next picture at the size of the screen',
        'Saves about a third of the transfer on small screens.',
        {
          labels: ['performance'],
        },
      ),
      declined(
        'Add stickers to pictures',
        'A palette of forty stickers.',
        'Fun, but outside what Shoebox is for. Thank you for understanding.',
      ),
    ],
    next: [fix('Keep the order of edits when they are copied', 'Crop and curve changed places in the copy.')],
  },
};
