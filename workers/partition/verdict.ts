/**
 * Decides whose state is wrong when the digests of nodes differ: that of the minority (`docs/architecture.md`
 * decision 47). A digest contains all digests before it, so two states that differ once differ at every later position.
 */
import type { NamedDigest } from '../../src/journal/snapshots.ts';

/** The digests that nodes have announced, by the name of the node. */
export type HeardDigests = ReadonlyMap<string, readonly NamedDigest[]>;

/**
 * What the digests say about the own state:
 * - `unknown`: no other node has announced a digest of a position that this node knows.
 * - `equal`: all nodes that know a position have the same state.
 * - `majority`: other nodes differ, but more than half of at least three nodes have the own state.
 * - `minority`: more than half of at least three nodes have another state than this node, but the same among themselves.
 * - `open`: states differ, and no state has a majority.
 */
export interface Verdict {
  kind: 'unknown' | 'equal' | 'majority' | 'minority' | 'open';
  /** The position that was compared; 0 = none. */
  seq: number;
  /** The nodes whose states differ from the own state. */
  differing: readonly string[];
}

const unknown: Verdict = { kind: 'unknown', seq: 0, differing: [] };
/** Fewer nodes have no majority that a single faulty node could not make. */
const fewest = 3;

/**
 * Judges the own state. A position at which a majority is known decides over positions without one, because a node that
 * is away now can have been compared before.
 * @param own the own digests, oldest first
 */
export function judge(own: readonly NamedDigest[], heard: HeardDigests): Verdict {
  const verdicts = own.map((mark) => judgeAt(mark, heard)).reverse();
  const ofKind = (...kinds: Verdict['kind'][]) => verdicts.find(({ kind }) => kinds.includes(kind));
  return ofKind('majority', 'minority') ?? ofKind('open') ?? ofKind('equal') ?? unknown;
}

function judgeAt({ seq, value }: NamedDigest, heard: HeardDigests): Verdict {
  const others = [...heard].flatMap(([node, digests]) => {
    const there = digests.find((digest) => digest.seq === seq);
    return there ? [{ node, value: there.value }] : [];
  });
  const differing = others.filter((other) => other.value !== value).map(({ node }) => node);
  if (others.length === 0) return unknown;
  if (differing.length === 0) return { kind: 'equal', seq, differing };
  const all = others.length + 1;
  const most = (votes: number) => all >= fewest && votes > all / 2;
  if (most(all - differing.length)) return { kind: 'majority', seq, differing };
  const isOutvoted = others.some((one) => most(others.filter((other) => other.value === one.value).length));
  return { kind: isOutvoted ? 'minority' : 'open', seq, differing: differing.sort() };
}
