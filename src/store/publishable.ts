/**
 * Decides whether a draft can be published to a channel, and finds the connection and the pages for its publication.
 * The gateway does this for requests, and a worker for the rules of repositories. Publications that cannot succeed are
 * refused before they are stored: the channel needs a tag but the range does not end at one, the pages are off, or the
 * service may not write to the repository's host.
 */
import { hasCredentials, hostAt, hostsOf } from '../../config/hosts.ts';
import { mailNeedsPublicUrl, publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { ServiceError } from '../foundation/errors.ts';
import { pagesUrl, personaPath } from '../foundation/page-url.ts';
import type { Sealer } from '../foundation/seal.ts';
import { type ChannelName, type Connection, channelTraits } from '../protocol/channels.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import type { DraftRecord } from '../protocol/stored.ts';
import { connectionInForce } from './connections.ts';
import type { Partition } from './partition.ts';
import { type DirectoryRepository, readDirectoryRepository, readOrganization } from './tables/directory.ts';
import { appInForce } from './tables/host-apps.ts';
import { hostedSettings } from './tables/hosted-settings.ts';
import { readPolicy } from './tables/policies.ts';
import { readRange } from './tables/ranges.ts';
import { readRepository } from './tables/repositories.ts';

/** The partitions and the parts of the process that are needed to publish. `partition` is the one of the draft. */
export interface PublishingFrom {
  settings: Settings;
  sealer: Sealer;
  directory: Partition;
  partition: Partition;
}

/** The fields of a draft or a publication that are needed to find the pages of the draft. */
export type Published = Pick<DraftRecord | PublicationRecord, 'repoId' | 'rangeId' | 'persona'>;

/** Address of the pages of the repository's notes, and the path of the draft's page below that address. */
export type PagesOf = Pick<PublicationRecord, 'pagesUrl' | 'personaPath'>;

/**
 * Returns the connection for a publication: the repository's connection, else the organization's connection, else the
 * defaults of the channel. The host may still refuse: the caller must ask it to confirm the owner of the repository.
 * @throws ServiceError `conflict` when the channel is not connected or cannot publish this draft, `forbidden` when the
 *   policy of the organization refuses the publication
 */
export function connectionFor(
  from: PublishingFrom,
  published: Published,
  channel: ChannelName,
): { connection: Connection } & PagesOf {
  const { settings, sealer, directory, partition } = from;
  const { repoId, rangeId, persona } = published;
  const { orgId } = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  if (
    channelTraits[channel].isPublic &&
    persona !== 'customer' &&
    readPolicy(directory, orgId).refuseInternalOnPublicChannels
  ) {
    const policy = 'refuseInternalOnPublicChannels';
    throw new ServiceError(
      'forbidden',
      `The policy ${policy} of the organization refuses drafts for ${persona} readers on the public channel ${channel}.`,
    );
  }
  assertRangeFits(partition, rangeId, channel);
  const connection = connectionInForce(sealer, directory, { orgId, repoId }, channel);
  if (channel === 'email' && settings.publicUrl === '') throw new ServiceError('conflict', mailNeedsPublicUrl);
  const pages = pagesOf(from, published);
  assertPagesShown(channel, pages.pagesUrl);
  assertCredentials(settings, directory, repoId, channel);
  return { connection, ...pages };
}

/**
 * Whether a preview for a channel needs a name in place of the version: the channel keeps the notes of each version, and
 * the range has no version yet.
 */
export function lacksVersion(partition: Partition, rangeId: string, channel: ChannelName): boolean {
  return channelTraits[channel].keepsVersions && readRange(partition, rangeId)?.bounds.type === 'UNRELEASED';
}

/**
 * Checks that a range can be published to a channel.
 * @throws ServiceError `conflict` when the channel needs a tag or a version but the range has none
 */
export function assertRangeFits(partition: Partition, rangeId: string, channel: ChannelName): void {
  const range = readRange(partition, rangeId);
  if (lacksVersion(partition, rangeId, channel)) {
    throw new ServiceError(
      'conflict',
      `The channel ${channel} keeps the notes of each version, but this range has no version yet. ` +
        'Publish when its tag has arrived, or publish to a channel that sends messages.',
    );
  }
  if (!channelTraits[channel].needsTag) return;
  if (range?.bounds.toTag !== undefined) return;
  throw new ServiceError(
    'conflict',
    `The channel ${channel} needs a range that ends at a tag, but this range is defined ${
      range?.bounds.toDate === undefined ? 'by pull requests' : 'by dates'
    }. Create a range between two tags, or publish to another channel.`,
  );
}

/**
 * Checks that the settings contain credentials for the repository's host. Only channels that write to this host are
 * checked.
 * @throws ServiceError `conflict` that names the missing credentials
 */
export function assertCredentials(
  settings: Settings,
  directory: Partition,
  repoId: string,
  channel: ChannelName,
): void {
  if (!channelTraits[channel].needsRepository) return;
  const listed = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  const reason = missingCredentials(settings, directory, listed);
  if (reason !== null) throw notConnected(channel, reason);
}

/** Returns the error for a channel that cannot be used for the given reason. */
export function notConnected(channel: ChannelName, reason: string): ServiceError {
  return new ServiceError('conflict', `The channel ${channel} is not connected: ${reason}`);
}

/** Returns why the host does not confirm an owner, as the error of a channel. */
export function unconfirmedOwner(refusal: string): string {
  const reason = refusal.charAt(0).toLowerCase() + refusal.slice(1);
  return `${reason} Give the token or the app access to the repository, then try again.`;
}

/** Returns the address of the repository's pages, and the path of a draft's page. */
export function pagesOf(from: PublishingFrom, published: Published): PagesOf {
  const path = personaPathOf(from.sealer, published);
  return {
    pagesUrl: pagesUrlOf(from, published.repoId),
    ...(path !== undefined && { personaPath: path }),
  };
}

/**
 * Returns the path of a draft's page, relative to the page of its version. Returns undefined for a draft for customers,
 * because the page of the version itself shows this draft. The path of an internal page is derived from a secret of the
 * instance, so no one can guess the path. All revisions of a draft have the same path.
 */
export function personaPathOf(sealer: Sealer, { repoId, rangeId, persona }: Published): string | undefined {
  return personaPath(persona, sealer.mac(rangeId, ['internal page', repoId]));
}

/** Returns the address of the repository's public or unlisted pages; null while its pages are off. */
export function pagesUrlOf(
  { settings, directory, partition }: Pick<PublishingFrom, 'settings' | 'directory' | 'partition'>,
  repoId: string,
): string | null {
  const { orgId, fullName } = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  const repository = readRepository(partition, repoId);
  const { visibility, key } = hostedSettings(directory, orgId, repoId, repository?.private !== false);
  if (visibility === 'off') return null;
  return pagesUrl(publicUrlOf(settings), fullName, visibility === 'unlisted' ? key : undefined);
}

/** @throws ServiceError `conflict` when the pages of the repository are off */
function assertPagesShown(channel: ChannelName, pagesUrl: string | null): void {
  if (channel !== 'hosted' || pagesUrl !== null) return;
  throw new ServiceError(
    'conflict',
    'The pages of this repository are off, which is the default for private repositories. Set visibility to public or unlisted with PUT /api/channels/hosted?repoId=….',
  );
}

function missingCredentials(
  settings: Settings,
  directory: Partition,
  { orgId, fullName, installationId }: DirectoryRepository,
): string | null {
  const origin = readOrganization(directory, orgId)?.origin ?? settings.hostOrigin;
  const host = hostAt(hostsOf(settings), origin);
  if (!host)
    return `the settings do not contain the host ${origin}. Add it to TIDINGS_HOSTS with a token, then restart.`;
  const hasApp = host.app !== undefined || appInForce(directory, host) !== undefined;
  if (hasCredentials(host, installationId) || (hasApp && installationId !== null)) return null;
  if (hasApp)
    return `the app has no installation for ${fullName}. Install it for the owner, and give it access to this repository.`;
  const setting = origin === settings.hostOrigin ? 'TIDINGS_HOST_TOKEN' : 'its token in TIDINGS_HOSTS';
  const token = `Set ${setting} to a token that may write to the repository, then restart.`;
  const app =
    host.kind === 'github' ? ' Or create a GitHub App in the settings of the dashboard, which needs no restart.' : '';
  return `the service has no credentials for ${origin}. ${token}${app}`;
}
