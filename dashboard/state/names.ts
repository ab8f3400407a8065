/**
 * Finds the range and the repository of a draft. Both never change for a draft, so each is read once. Screens that list
 * publications or drafts show them.
 */
import type { Draft, Operations, Range } from '../../sdk/index.ts';
import { api } from './session.ts';

/** A draft of a list that leaves out texts. */
export type ListedDraft = Operations['listDrafts']['reply']['drafts'][number];

type DraftHead = Pick<Draft, 'id' | 'persona' | 'releaseRangeId'>;

const ranges = new Map<string, Promise<Range>>();
const heads = new Map<string, Promise<DraftHead>>();

/** Returns a range. */
export function rangeOf(rangeId: string): Promise<Range> {
  return remembered(ranges, rangeId, () => api().getRange({ rangeId }));
}

/** Returns the persona and the range of a draft. */
export function headOf(draftId: string): Promise<DraftHead> {
  return remembered(heads, draftId, async () => {
    const { id, persona, releaseRangeId } = await api().getDraft({ draftId });
    return { id, persona, releaseRangeId };
  });
}

/** Remembers what a list says about drafts, so that they are not read to show their names. */
export function noteHeads(drafts: readonly DraftHead[]): void {
  for (const { id, persona, releaseRangeId } of drafts) heads.set(id, Promise.resolve({ id, persona, releaseRangeId }));
}

/** Forgets everything, since the next session may see other data. */
export function forgetNames(): void {
  ranges.clear();
  heads.clear();
}

function remembered<T>(known: Map<string, Promise<T>>, id: string, read: () => Promise<T>): Promise<T> {
  const found = known.get(id) ?? read();
  known.set(id, found);
  found.catch(() => known.delete(id));
  return found;
}
