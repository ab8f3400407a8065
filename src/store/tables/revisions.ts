/**
 * Revisions of drafts: every body a draft has had, by number, bounded. A text is kept once, by its digest, and only when it
 * is not the one in the draft's record; beside a body stands the generated text it came from, the base of a merge.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { DraftFlags, DraftRecord, DraftRevision } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** Revisions kept of a draft, besides the first generated one. */
export const revisionsKept = 100;

/** The texts of a draft or of one of its revisions. */
export type DraftTexts = Pick<DraftRecord, 'bodyMd' | 'generatedMd'>;
/** The flags of a draft or of one of its revisions. Nobody has edited them where there are no generated ones beside them. */
export type FlagsState = Pick<DraftRecord, 'flags' | 'generatedFlags'>;

/** Revisions of a draft that are kept, oldest first. */
export function listDraftRevisions(partition: Partition, draftId: string): DraftRevision[] {
  return [...partition.tables.draftRevisions.getRange(keysOf(draftId))].map((row) => row.value as DraftRevision);
}

/** One revision; undefined when it never was or is not kept any more. */
export function readDraftRevision(partition: Partition, draftId: string, number: number): DraftRevision | undefined {
  return partition.tables.draftRevisions.get([draftId, number]);
}

/** The texts of one of a draft's revisions. */
export function readTexts(partition: Partition, draft: DraftRecord, revision: DraftRevision): DraftTexts {
  const held = new Map([draft.bodyMd, draft.generatedMd].map((text) => [digestOf(text), text]));
  const read = (digest: string): string =>
    held.get(digest) ?? partition.tables.draftTexts.get([draft.id, digest]) ?? '';
  return { bodyMd: read(revision.body), generatedMd: read(revision.base) };
}

/**
 * The flags of one of a draft's revisions. One that was written while nobody had edited the flags keeps none of its own: it has
 * the generated ones.
 */
export function readFlags(partition: Partition, draft: DraftRecord, revision: DraftRevision): FlagsState {
  const read = (digest: string): DraftFlags | undefined => {
    const json = partition.tables.draftTexts.get([draft.id, digest]);
    return json === undefined ? undefined : (JSON.parse(json) as DraftFlags);
  };
  const edited = revision.flags && read(revision.flags.edited);
  const base = revision.flags && read(revision.flags.base);
  return edited && base ? { flags: edited, generatedFlags: base } : { flags: draft.generatedFlags ?? draft.flags };
}

/**
 * Writes the newest revision of a draft, whose texts stand in `after`, puts the texts they replace aside, and forgets what
 * is past its keeping.
 */
export function writeRevision(
  partition: Partition,
  before: DraftTexts,
  after: DraftTexts & FlagsState & { id: string },
  made: Pick<DraftRevision, 'number' | 'at' | 'kind' | 'by'>,
): void {
  const { draftRevisions, draftTexts } = partition.tables;
  const held = new Set([after.bodyMd, after.generatedMd]);
  for (const text of new Set([before.bodyMd, before.generatedMd])) {
    if (!held.has(text)) draftTexts.putSync([after.id, digestOf(text)], text);
  }
  const flags = after.generatedFlags && {
    edited: JSON.stringify(after.flags),
    base: JSON.stringify(after.generatedFlags),
  };
  for (const text of flags ? [flags.edited, flags.base] : []) draftTexts.putSync([after.id, digestOf(text)], text);
  draftRevisions.putSync([after.id, made.number], {
    ...made,
    bytes: Buffer.byteLength(after.bodyMd),
    body: digestOf(after.bodyMd),
    base: digestOf(after.generatedMd),
    ...(flags && { flags: { edited: digestOf(flags.edited), base: digestOf(flags.base) } }),
  } satisfies DraftRevision);
  forgetOld(partition, after.id, made.number);
  forgetTexts(partition, after.id, held);
}

/** Removes up to `limit` rows of a draft's revisions and texts; how many it were. Fewer mean that none is left. */
export function removeRevisions(partition: Partition, draftId: string, limit: number): number {
  const { draftRevisions, draftTexts } = partition.tables;
  let removed = 0;
  for (const table of [draftRevisions, draftTexts]) {
    const keys = [...table.getKeys({ ...keysOf(draftId), limit: limit - removed })];
    for (const key of keys) table.removeSync(key);
    removed += keys.length;
  }
  return removed;
}

/** Keeps the newest ones and, of those before, the first that was generated. */
function forgetOld(partition: Partition, draftId: string, newest: number): void {
  const old = listDraftRevisions(partition, draftId).filter(({ number }) => number <= newest - revisionsKept);
  const first = old.find(({ kind }) => kind === 'generated');
  for (const { number } of old) {
    if (number !== first?.number) partition.tables.draftRevisions.removeSync([draftId, number]);
  }
}

/** Removes texts that no revision names, or that the draft's record holds again. */
function forgetTexts(partition: Partition, draftId: string, held: ReadonlySet<string>): void {
  const revisions = listDraftRevisions(partition, draftId);
  const named = new Set(revisions.flatMap(({ body, base }) => [body, base]));
  for (const text of held) named.delete(digestOf(text));
  for (const { flags } of revisions) if (flags) named.add(flags.edited).add(flags.base);
  const { draftTexts } = partition.tables;
  for (const key of [...draftTexts.getKeys(keysOf(draftId))] as [string, string][]) {
    if (!named.has(key[1])) draftTexts.removeSync(key);
  }
}

/** All keys of a draft, whether a number or a digest follows its id. */
function keysOf(draftId: string): { start: string[]; end: string[] } {
  return { start: [draftId], end: [draftId, '\u{10ffff}'] };
}
