/**
 * Finds the range of a draft for screens that list publications or drafts. It is read once, but an unreleased range
 * becomes the range of a tag and is read again.
 */
import { effect } from '@preact/signals';
import type { Draft, Operations, Range } from '../../sdk/index.ts';
import { type About, turnOf } from './live.ts';
import { api } from './session.ts';

/** A draft of a list that leaves out texts. */
export type ListedDraft = Operations['listDrafts']['reply']['drafts'][number];

type DraftHead = Pick<Draft, 'id' | 'persona' | 'releaseRangeId'>;

/** The events after which a range may have another name. */
export const aboutRanges: About = { events: ['range.counts'] };

const ranges = new Map<string, Promise<Range>>();
/** Ids of the unreleased ranges among them. */
const unreleased = new Set<string>();
let turn = 0;
effect(() => {
  const next = turnOf(aboutRanges);
  if (next === turn) return;
  turn = next;
  for (const id of unreleased) ranges.delete(id);
  unreleased.clear();
});
const heads = new Map<string, Promise<DraftHead>>();

/** Returns a range. */
export function rangeOf(rangeId: string): Promise<Range> {
  return remembered(ranges, rangeId, async () => {
    const before = turn;
    const range = await api().getRange({ rangeId });
    if (range.type !== 'UNRELEASED') return range;
    if (turn === before) unreleased.add(rangeId);
    else ranges.delete(rangeId);
    return range;
  });
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
