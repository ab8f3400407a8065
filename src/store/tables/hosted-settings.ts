/**
 * Determines who may read the pages of a repository's notes. The repository's own `hosted` connection decides. If the
 * repository has none, the `hosted` connection of its organization decides. If the organization has none either, the
 * pages of a public repository are public, and a private repository has no pages (`off`).
 */
import type { HostedSettings } from '../../protocol/host-channel-settings.ts';
import type { Partition } from '../partition.ts';
import { effectiveChannel } from './channels.ts';

/** The settings that apply to a repository's pages. `key` is the secret part of the address of unlisted pages. */
export type PageSettings = Omit<HostedSettings, 'visibility'> & {
  visibility: NonNullable<HostedSettings['visibility']>;
};

/** @param isPrivate whether the repository is private on its host */
export function hostedSettings(directory: Partition, orgId: string, repoId: string, isPrivate: boolean): PageSettings {
  const stored: HostedSettings = effectiveChannel(directory, orgId, repoId, 'hosted')?.settings ?? {};
  const visibility = stored.visibility ?? (isPrivate ? 'off' : 'public');
  // The address of an unlisted page contains the key. So without a key, the repository has no pages.
  if (visibility === 'unlisted' && stored.key === undefined) return { ...stored, visibility: 'off' };
  return { ...stored, visibility };
}
