/** A repository whose release notes are fenced blocks with a label, such as `release-note:bug`: a provider of resources. */
import { between, pull, release, type Style } from './style.ts';

function block(label: string, ...lines: string[]): string {
  return `\`\`\`release-note:${label}\n${lines.join('\n')}\n\`\`\`\n`;
}

const steps = [
  pull(901, 'Add lattice_volume_snapshot', {
    by: 'corvin',
    body: `New resource.\n\n${block('new-resource', '`lattice_volume_snapshot`')}`,
  }),
  pull(903, 'network: read tags page by page', {
    by: 'hattie-m',
    body: block('bug', 'resource/lattice_network: Read more than 100 tags'),
  }),
  pull(904, 'Add `retention_days` to buckets', {
    by: 'corvin',
    body:
      block('enhancement', 'resource/lattice_bucket: Add argument `retention_days`') +
      block('enhancement', 'data-source/lattice_bucket: Add attribute `retention_days`'),
  }),
  pull(906, 'Require 1.8', {
    by: 'okonkwo',
    body: block(
      'breaking-change',
      'provider: Version 1.8 of the command line is required. Update it before you run `init -upgrade`.',
    ),
  }),
  pull(907, 'Deprecate `zone` in favour of `zones`', {
    by: 'okonkwo',
    body: block('deprecation', 'resource/lattice_server: `zone` is deprecated, use `zones`'),
  }),
  pull(908, 'Fix names in the generated client', { by: 'hattie-m', body: block('none', '') }),
  pull(910, 'server: keep user_data on import', {
    by: 'zsofia',
    body: `Closes #877.\n\n${block('bug', 'resource/lattice_server: Importing a server no longer clears `user_data`')}`,
  }),
  pull(911, 'Mask tokens in debug logs', {
    by: 'zsofia',
    body: block('security', 'provider: Tokens are masked in logs of level `DEBUG`'),
  }),
  pull(912, 'Add lattice_regions', { by: 'corvin', body: block('new-data-source', '`lattice_regions`') }),
  pull(914, 'Sweep test buckets', {
    by: 'hattie-m',
    body: block('internal', 'Sweepers delete buckets of failed tests'),
  }),
  pull(915, 'Describe import of volumes', { by: 'okonkwo', body: '' }),
  pull(916, 'Note on timeouts', {
    by: 'okonkwo',
    body: block('note', 'provider: Requests now time out after 60 seconds'),
  }),
];

export const noteLabels: Style = {
  name: 'note-labels',
  memory: release('cinderbank/provider-lattice', ['v4.6.0', 'v4.7.0'], steps),
  bounds: between('v4.6.0', 'v4.7.0'),
  breaking: ['pr:906'],
};
