/**
 * Builds links to the host's comparison of two tags, for API replies and drafts.
 */

/**
 * Returns the link to the comparison of two tags. A tag name can contain any text, so everything but letters, digits
 * and `/._~-` is percent-encoded.
 * @param repositoryUrl current web address of the repository on its host
 */
export function compareUrl(repositoryUrl: string, fromTag: string, toTag: string): string {
  return `${repositoryUrl}/compare/${encodeTag(fromTag)}...${encodeTag(toTag)}`;
}

function encodeTag(tag: string): string {
  const encoded = tag.split('/').map((part) => encodeURIComponent(part.toWellFormed()));
  return encoded.join('/').replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
