/**
 * Revisions of drafts. The newest revisions of each draft are stored by their number.
 *
 * Each text is stored once, by its digest. A text that the draft's record contains is not stored again. Each revision
 * names two texts: its body, and the generated text that the body is based on. When the draft is generated again, an
 * edited body is merged with the new text. The former generated text is the common base of this merge.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { DraftFlags, DraftRecord, DraftRevision } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** Number of revisions that are kept per draft. The first generated revision is kept in addition. */
export const revisionsKept = 100;

/** The texts of a draft or of one of its revisions. */
export type DraftTexts = Pick<DraftRecord, 'bodyMd' | 'generatedMd'>;
/** The flags of a draft or of one of its revisions. If `generatedFlags` is absent, no one has edited the flags. */
export type FlagsState = Pick<DraftRecord, 'flags' | 'generatedFlags'>;

/** Returns the revisions of a draft that are kept, oldest first. */
export function listDraftRevisions(partition: Partition, draftId: string): DraftRevision[] {
  return [...partition.tables.draftRevisions.getRange(keysOf(draftId))].map((row) => row.value as DraftRevision);
}

/** Returns one revision of a draft; undefined if the revision never existed or is not kept any more. */
export function readDraftRevision(partition: Partition, draftId: string, number: number): DraftRevision | undefined {
  return partition.tables.draftRevisions.get([draftId, number]);
}

/**
 * Returns the texts of a revision of a draft. If a text is not in the table of texts, the text is in the draft's
 * record.
 */
export function readTexts(partition: Partition, draft: DraftRecord, revision: DraftRevision): DraftTexts {
  const held = new Map([draft.bodyMd, draft.generatedMd].map((text) => [digestOf(text), text]));
  const read = (digest: string): string =>
    held.get(digest) ?? partition.tables.draftTexts.get([draft.id, digest]) ?? '';
  return { bodyMd: read(revision.body), generatedMd: read(revision.base) };
}

/**
 * Returns the flags of one of a draft's revisions. A revision stores no flags if it was written before a person edited
 * the flags. For such a revision, the generated flags are returned.
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
 * Writes the newest revision of a draft. `after` contains the texts of this revision. The replaced texts in `before`
 * are written to the table of texts. Then removes the oldest revisions above the maximum number, and the texts that no
 * longer belong to a revision.
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

/**
 * Removes up to `limit` rows of a draft's revisions and texts. Returns how many rows were removed; a number below
 * `limit` means that no row is left.
 */
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

/** Removes old revisions. The newest revisions and the first generated revision are kept. */
function forgetOld(partition: Partition, draftId: string, newest: number): void {
  const old = listDraftRevisions(partition, draftId).filter(({ number }) => number <= newest - revisionsKept);
  const first = old.find(({ kind }) => kind === 'generated');
  for (const { number } of old) {
    if (number !== first?.number) partition.tables.draftRevisions.removeSync([draftId, number]);
  }
}

/** Removes texts that no revision uses. Also removes texts that the draft's record now contains. */
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

/**
 * Returns the range of all keys of a draft. In a key, the number of a revision or the digest of a text follows the
 * draft's id.
 */
function keysOf(draftId: string): { start: string[]; end: string[] } {
  return { start: [draftId], end: [draftId, '\u{10ffff}'] };
}
