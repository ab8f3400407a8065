/**
 * The hidden comments with which the service marks text in a draft. A marker such as `<!-- rn:pr:12 -->` names the
 * change of an entry. `conflicts.ts` reads the comments on lines of their own, and `draft-lines.ts` reads those lines.
 */

/**
 * Id of a change in a marker: a pull request (`pr:12`), a further line of a pull request (`pr:12.2`), an issue
 * (`issue:7`), or a commit without a pull request (`commit:1f3a9c2`).
 */
const changeId = String.raw`(?:pr:\d{1,10}(?:\.\d{1,4})?|issue:\d{1,10}|commit:[0-9a-f]{7,40})`;

/** Start of every hidden comment of the service. */
export const ownComment = '<!-- rn:';

const one = new RegExp(`<!-- rn:(${changeId}) -->`);
const all = new RegExp(one.source, 'g');
const withBlanks = new RegExp(`(?<! ) *<!-- rn:${changeId} -->`, 'g');
const wholeId = new RegExp(`^${changeId}$`);

/** Whether a text is the id of a change. */
export function isChangeId(text: string): boolean {
  return wholeId.test(text);
}

/** Returns the marker of a change. */
export function markerOf(id: string): string {
  return `${ownComment}${id} -->`;
}

/** Whether a text contains a marker. */
export function hasMarker(text: string): boolean {
  return one.test(text);
}

/** Returns the id in the first marker of a text. */
export function firstMarked(text: string): string | undefined {
  return one.exec(text)?.[1];
}

/** Returns the ids in the markers of a text, in the order of the text. An id can occur several times. */
export function markedIn(text: string): string[] {
  return text.match(all)?.map((marker) => marker.slice(ownComment.length, -' -->'.length)) ?? [];
}

/** Returns a text without its markers and the blanks before them. */
export function withoutMarkers(text: string): string {
  return text.includes(ownComment) ? text.replace(withBlanks, '') : text;
}

/** Returns the number of a pull request or issue, and the hash of a commit, from the id of a change. */
export function numberAndSha(id: string): { number: number | null; sha: string | null } {
  const [kind, name = ''] = id.split(':');
  return kind === 'commit' ? { number: null, sha: name } : { number: Number.parseInt(name, 10), sha: null };
}
