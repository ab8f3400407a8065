/**
 * The channel `scm_releases`: creates or updates the release of the range's later tag on the source-code host. The tag
 * must exist, because a host would create a missing tag on the newest commit.
 */
import { type ReleasesSettings, ReleasesSettingsSchema } from '../../protocol/host-channel-settings.ts';
import { type Channel, type Delivered, DeliveryError, type HostAccess, type Note } from '../channel.ts';
import { cutMarkdown } from './cut-markdown.ts';
import { onHost, testHost } from './delivery.ts';
import { harmlessLine } from './harmless.ts';
import { toHostMarkdown } from './host-markdown.ts';

/** The release as the preview shows it. */
export interface ReleasePayload {
  tag: string;
  name: string;
  body: string;
  draft: boolean;
  /** Whether a new release is marked as a prerelease. An existing release keeps its mark. */
  prerelease: boolean;
}

/** Maximum length of a release's body, in characters. Hosts refuse a longer body. */
const maxBodyLength = 125_000;

export const scmReleases: Channel<ReleasesSettings, ReleasePayload> = {
  name: 'scm_releases',
  isPublic: false,
  canLookUp: true,
  settings: ReleasesSettingsSchema,
  secrets: [],
  render: (note) => {
    const { tag } = note;
    if (tag === null)
      throw new DeliveryError('refused', 'A release needs a tag. Publish a draft of a range between two tags.');
    return {
      tag,
      name: harmlessLine(note.version),
      body: cutMarkdown(toHostMarkdown(note), maxBodyLength, (count) => restLine(note, count)),
      draft: note.asDraft,
      prerelease: /^[^\d]*\d+(?:\.\d+){1,2}-[\dA-Za-z.-]+$/.test(tag),
    };
  },
  deliver: (payload, context) => onHost(context, (host) => release(payload, host)),
  test: testHost,
};

/** Returns the line that replaces the entries that were cut off. */
export function restLine({ compareUrl, persona, repository }: Note, count: number): string {
  const words = count === 0 ? 'These notes go on' : `${count} more ${count === 1 ? 'change' : 'changes'}`;
  const hidden = compareUrl === null || (persona === 'customer' && repository.private);
  return hidden ? `${words}.` : `${words}: <${compareUrl}>`;
}

async function release(payload: ReleasePayload, host: HostAccess): Promise<Delivered> {
  const { tag, body: bodyMd, draft } = payload;
  if ((await host.tagSha(tag)) === null)
    throw new DeliveryError('refused', `The host has no tag ${tag}. Push the tag, then publish again.`);
  const existing = await host.findRelease(tag);
  if (existing && !existing.draft && draft)
    throw new DeliveryError(
      'refused',
      `The release of ${tag} is already published on the host. The service does not turn it back into a draft.`,
    );
  if (existing && existing.draft === draft && isSameText(existing.bodyMd, bodyMd)) return toDelivered(existing);
  if (!existing) return toDelivered(await host.createRelease({ ...payload, bodyMd }));
  // A person may have set the title and the prerelease mark of an existing release, so both stay.
  const { id, name, prerelease } = existing;
  return toDelivered(await host.updateRelease(id, { tag, name: name || payload.name, bodyMd, draft, prerelease }));
}

function toDelivered({ id, url }: { id: string; url: string }): Delivered {
  return { url: url || null, reference: id };
}

/** Compares two texts without regard to line ends, since a host can change the line ends of a text. */
function isSameText(one: string, other: string): boolean {
  const text = (body: string): string => body.replace(/\r\n?/g, '\n').trim();
  return text(one) === text(other);
}
