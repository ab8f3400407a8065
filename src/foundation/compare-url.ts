/**
 * Builds links to the host's comparison of two tags, for API replies and drafts.
 */
import type { RangeRecord } from '../protocol/stored.ts';

/**
 * Returns the link to the comparison of two tags. A tag name can contain any text, so everything but letters, digits
 * and `/._~-` is percent-encoded.
 * @param repositoryUrl current web address of the repository on its host
 */
export function compareUrl(repositoryUrl: string, fromTag: string, toTag: string): string {
  return `${repositoryUrl}/compare/${encodeTag(fromTag)}...${encodeTag(toTag)}`;
}

/**
 * Returns the link to the comparison of the two ends of a range. Returns undefined if the range has no tag or branch at
 * an end, such as a range by dates or a first release.
 */
export function compareUrlOf(
  { bounds, openEnds }: Pick<RangeRecord, 'bounds' | 'openEnds'>,
  repositoryUrl: string,
): string | undefined {
  const from = openEnds ? openEnds.fromTag : bounds.fromTag;
  const to = openEnds ? openEnds.branch : bounds.toTag;
  return from != null && to != null ? compareUrl(repositoryUrl, from, to) : undefined;
}

function encodeTag(tag: string): string {
  const encoded = tag.split('/').map((part) => encodeURIComponent(part.toWellFormed()));
  return encoded.join('/').replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
