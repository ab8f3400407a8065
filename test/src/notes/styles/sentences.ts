/** A repository without prefixes and labels, whose titles are plain sentences: a desktop reader for scanned documents. */
import { between, direct, issue, pull, release, type Style } from './style.ts';

const steps = [
  pull(233, 'Support several libraries in one window', { by: 'quillon' }),
  pull(235, 'Fix crash when the file is empty', { by: 'adaora-n', linkedIssues: [229] }),
  pull(236, 'Search no longer forgets the last query.', { by: 'adaora-n' }),
  pull(238, 'Add CSV export for annotations', { by: 'peregrine-s', linkedIssues: [201] }),
  pull(239, 'Speed up opening of large documents', { by: 'quillon' }),
  pull(240, 'Page thumbnails are sharper on HiDPI screens', { by: 'peregrine-s' }),
  pull(241, 'Remove the option --legacy-index', { by: 'quillon' }),
  pull(243, 'Clean up after the move to .NET 8', { by: 'adaora-n' }),
  pull(244, 'Improve wording of the README', { by: 'peregrine-s' }),
  pull(245, 'Prevent data loss when two windows save the same notebook', { by: 'quillon', linkedIssues: [242] }),
  pull(246, 'The reading position is now kept per device', { by: 'adaora-n' }),
  pull(247, 'Update dependencies', { by: 'quillon' }),
  direct('quillon', 'Allow spaces in the path of ~/.loft/config.toml'),
  direct('adaora-n', 'Fix typo'),
];

export const sentences: Style = {
  name: 'sentences',
  memory: release('papercrane/loft', ['v5.1', 'v5.2'], steps, {
    issues: [
      issue(201, 'Is there a way to export my annotations?', { author: { login: 'margin-notes', bot: false } }),
      issue(229, 'Empty PDF closes the whole app', { author: { login: 'marisol', bot: false } }),
      issue(242, 'Lost an hour of notes with two windows open', { author: { login: 'hvdb', bot: false } }),
    ],
  }),
  bounds: between('v5.1', 'v5.2'),
  breaking: [],
};
