/** The render task: composes a draft's text and flags from one repository view, range and persona. */
import { conflictsOf } from '../../src/foundation/conflicts.ts';
import { notFound } from '../../src/foundation/errors.ts';
import { draftId } from '../../src/foundation/ids.ts';
import { markedIn } from '../../src/foundation/markers.ts';
import { composeWithFacts } from '../../src/notes/draft/compose.ts';
import type { Rendered, RenderTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { readRange } from '../../src/store/tables/ranges.ts';

/** Length of the parts in which two texts are compared, in characters. A marker is shorter. */
const chunkLength = 1_024;

/**
 * Composes the draft of a range.
 * @throws ServiceError `notFound` when the range or its repository no longer exists
 */
export function render(partition: Partition, task: RenderTask, beforeRead: () => void): Rendered {
  const range = readRange(partition, task.rangeId);
  const view = range && RepositoryView.of(partition, range.repoId, beforeRead);
  if (!view) throw notFound('Release range', task.rangeId);
  const { bodyMd, flags, absent, facts } = composeWithFacts(view, range.bounds, task.persona, (next) =>
    namedBefore(partition, task, next),
  );
  return { bodyMd, flags, absent, facts, inputSeq: readCursor(partition).seq };
}

/**
 * Returns the ids of the changes that a draft names, with those that a person has edited first. A person can edit the
 * draft during the render. So a draft that no one has edited yet names the changes that only the new text leaves out.
 */
function namedBefore(partition: Partition, { rangeId, persona }: RenderTask, next: string): string[] {
  const draft = readDraft(partition, draftId(rangeId, persona));
  if (!draft) return [];
  const { generatedMd, bodyMd } = draft;
  if (bodyMd === generatedMd) return gone(generatedMd, next);
  return [
    ...conflictsOf(bodyMd).map(({ id }) => id),
    ...markedIn(linesOnlyIn(bodyMd, generatedMd)),
    ...markedIn(linesOnlyIn(generatedMd, bodyMd)),
    ...markedIn(generatedMd),
  ];
}

/**
 * Returns the ids that a text has and the next text may not have. Most renders of an unedited draft change little, so
 * the parts that both texts begin and end with are left out. They need no search for markers.
 */
function gone(before: string, next: string): string[] {
  if (before === '' || before === next) return [];
  const head = equalLength(before, next, (text, from) => text.slice(from, from + chunkLength));
  const tail = equalLength(before.slice(head), next.slice(head), (text, from) => {
    const end = text.length - from;
    return text.slice(Math.max(0, end - chunkLength), end);
  });
  // A marker can begin in one part and end in the next.
  const [from, left] = [Math.max(0, head - chunkLength), Math.max(0, tail - chunkLength)];
  const ids = markedIn(before.slice(from, before.length - left));
  const listed = markedIn(next.slice(from, next.length - left));
  return isPartOf(ids, listed) ? [] : ids;
}

/** Whether a list contains all ids of another list in their order. If not, the search ends at the first other id. */
function isPartOf(ids: readonly string[], list: readonly string[]): boolean {
  let at = 0;
  return ids.every((id) => {
    at = list.indexOf(id, at) + 1;
    return at > 0;
  });
}

/** Returns the total length of the whole chunks that are equal in both texts, up to the first that is not. */
function equalLength(one: string, other: string, chunkAt: (text: string, from: number) => string): number {
  const shorter = Math.min(one.length, other.length);
  let length = 0;
  while (length + chunkLength <= shorter && chunkAt(one, length) === chunkAt(other, length)) length += chunkLength;
  return length;
}

/** Returns the lines of a text that another text does not contain. */
function linesOnlyIn(text: string, other: string): string {
  const others = new Set(linesOf(other));
  return linesOf(text)
    .filter((line) => !others.has(line))
    .join('\n');
}

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}
