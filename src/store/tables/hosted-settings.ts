/**
 * Who may read the pages of a repository's notes: what its connection of the channel `hosted` says, else that of its organisation,
 * else public for public repositories and off for private ones.
 */
import type { HostedSettings } from '../../protocol/host-channel-settings.ts';
import type { Partition } from '../partition.ts';
import { effectiveChannel } from './channels.ts';

/** The settings in force; `key` is set where pages are unlisted. */
export type PageSettings = Pick<HostedSettings, 'title' | 'language' | 'key'> & {
  visibility: NonNullable<HostedSettings['visibility']>;
};

/** @param isPrivate whether the repository is so on its host */
export function hostedSettings(directory: Partition, orgId: string, repoId: string, isPrivate: boolean): PageSettings {
  const stored: HostedSettings = effectiveChannel(directory, orgId, repoId, 'hosted')?.settings ?? {};
  const visibility = stored.visibility ?? (isPrivate ? 'off' : 'public');
  // Without a key there is no address that could be told to anybody.
  if (visibility === 'unlisted' && stored.key === undefined) return { ...stored, visibility: 'off' };
  return { ...stored, visibility };
}
