/**
 * The link that compares two tags on the host, for responses and drafts alike.
 */

/**
 * Comparison link of a repository; tag names are hostile, so all but letters, digits and `/._~-` is encoded.
 * @param repositoryUrl current web address of the repository
 */
export function compareUrl(repositoryUrl: string, fromTag: string, toTag: string): string {
  return `${repositoryUrl}/compare/${encodeTag(fromTag)}...${encodeTag(toTag)}`;
}

function encodeTag(tag: string): string {
  const encoded = tag.split('/').map((part) => encodeURIComponent(part.toWellFormed()));
  return encoded.join('/').replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
