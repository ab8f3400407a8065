/**
 * Lists the names of personas and channels. This file imports nothing, so that the command line loads the names without
 * the schemas.
 */

/** All personas, in the order in which lists show their drafts. */
export const personas = ['engineer', 'internal', 'customer'] as const;

/** All channels that a draft can be published to. */
export const channelNames = [
  'scm_releases',
  'changelog',
  'releases_md',
  'hosted',
  'support_messenger',
  'workspace_chat',
  'office_chat',
  'email',
] as const;
