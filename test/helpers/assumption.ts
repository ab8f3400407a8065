/**
 * Checks the assumption of a range against the true parents of commits. A tagged commit inside a push is assumed to
 * descend from the head of the branch before the push, and from the commits that the push lists before it.
 */
import { isPartEnd } from '../../src/foundation/ids.ts';
import type { NotesSource } from '../../src/notes/range/source.ts';
import type { PushRecord } from '../../src/protocol/stored.ts';

/** Whether the assumption about a tagged commit is true. For the head of a push, nothing is assumed. */
export function assumptionHolds(
  source: NotesSource,
  sha: string,
  ancestors: (sha: string) => ReadonlySet<string>,
): boolean {
  const keys = source.commit(sha)?.pushes ?? [];
  const pushes = keys.flatMap(([branch, after]) => source.push(branch, after) ?? []);
  const inside = pushes.filter((push) => push.after !== sha && push.shas.includes(sha));
  const oldest = inside.reduce<PushRecord | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
  if (!oldest) return true;
  const known = ancestors(sha);
  const below = oldest.shas.slice(0, oldest.shas.indexOf(sha));
  let { before } = oldest;
  while (before !== null && isPartEnd(before)) {
    const part = source.push(oldest.branch, before);
    below.push(...(part?.shas ?? []));
    before = part?.before ?? null;
  }
  return before !== null && [...below, before].every((each) => known.has(each));
}
