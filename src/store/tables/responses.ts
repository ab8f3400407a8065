/**
 * Responses of the API for single objects. Defines their shape (spec part 2). Also stores their ready-made bytes, in
 * addition to the records of the objects (`docs/architecture.md` decision 15). The bytes contain the repository's id
 * and revision, so a reader can detect stale bytes.
 */
import { compareUrlOf } from '../../foundation/compare-url.ts';
import { conflictsOf } from '../../foundation/conflicts.ts';
import { digestLength, digestOf, toEtag } from '../../foundation/etag.ts';
import type { DraftRecord, RangeRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';
import { readDraft } from './drafts.ts';
import { readRange } from './ranges.ts';
import { readRepository, readRevision } from './repositories.ts';

/** The parts of a reply for a single object. */
export interface ReadyResponse {
  repoId: string;
  json: Buffer;
  etag: string;
  /** Whether new content of the object is being generated. */
  processing: boolean;
}

/**
 * Length of the header of a row. The header contains the revision of the repository (4 bytes), the state (1), the length
 * of the repository's id (1), and the digest. The repository's id and the JSON follow the header. The lowest bit of the
 * state is the processing flag. The other seven bits are the mark of a draft's verdict ({@link verdictMark}).
 */
const headerBytes = 4 + 1 + 1 + digestLength;

/** Returns the object that represents a range in API replies to GET. */
export function rangeResponse(range: RangeRecord, repositoryUrl: string): Record<string, unknown> {
  const url = compareUrlOf(range, repositoryUrl);
  return {
    id: range.id,
    repoId: range.repoId,
    ...shownBounds(range),
    ...(url !== undefined && { compareUrl: url }),
    prCount: range.prCount,
    issueCount: range.issueCount,
    resolution: range.resolution,
    ...(range.assumed && { assumed: true }),
    createdAt: new Date(range.createdAt).toISOString(),
    updatedAt: new Date(range.updatedAt).toISOString(),
  };
}

/**
 * Returns the type and the bounds of a range as replies show them. An open end is null, and `head` is the commit at the
 * end of an unreleased range.
 */
export function shownBounds({
  bounds: { type, span: _, ...bounds },
  openEnds,
}: Pick<RangeRecord, 'bounds' | 'openEnds'>): Record<string, unknown> {
  if (type === 'FIRST_RELEASE') return { type, fromTag: null, ...bounds };
  if (!openEnds) return { type, ...bounds };
  const { fromTag, branch, head } = openEnds;
  return { type, ...bounds, fromTag, toTag: null, branch, head };
}

/** Converts a draft to its form in the API's replies to GET and List. */
export function draftResponse(draft: DraftRecord): Record<string, unknown> {
  return {
    id: draft.id,
    releaseRangeId: draft.rangeId,
    persona: draft.persona,
    status: draft.status,
    revision: draft.revision,
    bodyMd: draft.bodyMd,
    flags: draft.flags,
    conflicts: conflictsOf(draft.bodyMd),
    outdated: draft.outdatedBecause !== undefined,
    outdatedBecause: draft.outdatedBecause ?? [],
    ...(draft.error !== null && { error: draft.error }),
    createdAt: new Date(draft.createdAt).toISOString(),
    updatedAt: new Date(draft.updatedAt).toISOString(),
  };
}

/** Returns a draft in the form of lists that leave out texts. */
export function draftSummary(draft: DraftRecord): Record<string, unknown> {
  const { bodyMd, flags, conflicts, ...rest } = draftResponse({ ...draft, bodyMd: '' });
  return rest;
}

/**
 * Returns a number from 1 to 127 for the reasons why a draft is outdated; 0 if it is not outdated. The ETag of a draft
 * contains this number besides the digest, because the verdict is not part of the content that `If-Match` compares.
 */
export function verdictMark(because: DraftRecord['outdatedBecause']): number {
  if (because === undefined) return 0;
  return 1 + ((Buffer.from(digestOf(JSON.stringify(because)), 'base64url')[0] as number) % 127);
}

/** Stores the ready-made bytes of a range. */
export function writeRangeResponse(partition: Partition, range: RangeRecord, repositoryUrl: string): void {
  const json = toJson(rangeResponse(range, repositoryUrl));
  writeResponse(partition, range, { json, digest: digestOf(json), state: 0 });
}

/** Stores the ready-made bytes of a draft. */
export function writeDraftResponse(partition: Partition, draft: DraftRecord): void {
  const state = (draft.status === 'processing' ? 1 : 0) + 2 * verdictMark(draft.outdatedBecause);
  writeResponse(partition, draft, { json: toJson(draftResponse(draft)), digest: draft.digest, state });
}

function writeResponse(
  partition: Partition,
  { id, repoId }: { id: string; repoId: string },
  { json, digest, state }: { json: Buffer; digest: string; state: number },
): void {
  const repo = Buffer.from(repoId, 'latin1');
  const row = Buffer.allocUnsafe(headerBytes + repo.length + json.length);
  row.writeUInt32BE(readRevision(partition, repoId), 0);
  row[4] = state;
  row[5] = repo.length;
  row.write(digest, 6, 'latin1');
  repo.copy(row, headerBytes);
  json.copy(row, headerBytes + repo.length);
  partition.responses.putSync(id, row);
}

/**
 * Whether the ready-made bytes of a draft lack its verdict, and perhaps older fields. Earlier versions of Tidings wrote
 * such bytes. In JSON, no text can contain these bytes, because its quotes are escaped.
 */
export function lacksVerdict(row: Buffer): boolean {
  return !row.includes('"outdatedBecause":[', headerBytes + (row[5] as number));
}

/** Writes the ready-made bytes of a draft again and keeps their header, as if this version had written the row. */
export function rewriteDraftResponse(partition: Partition, draft: DraftRecord, row: Buffer): void {
  const head = row.subarray(0, headerBytes + (row[5] as number));
  partition.responses.putSync(draft.id, Buffer.concat([head, toJson(draftResponse(draft))]));
}

/**
 * Contains a copy of the last row that was read. The copy is needed because lmdb overwrites its own buffer at the next
 * read. Every read copies its row into this one buffer, so the copies create no garbage.
 */
let outgoing = Buffer.allocUnsafeSlow(65_536);

/**
 * Returns the response of a range or draft. Encodes the response if the stored bytes are stale or missing. The returned
 * bytes are valid until the next call.
 */
export function readResponse(partition: Partition, id: string): ReadyResponse | undefined {
  const stored = partition.responses.getBinaryFast(id) as Buffer | undefined;
  if (stored === undefined) return encodeResponse(partition, id);
  if (stored.length > outgoing.length) outgoing = Buffer.allocUnsafeSlow(stored.length * 2);
  // The row has `length` bytes, but its underlying buffer is longer. Without the explicit length, the whole underlying
  // buffer would be copied.
  outgoing.set(new Uint8Array(stored.buffer, stored.byteOffset, stored.length));
  const row = outgoing.subarray(0, stored.length);
  const end = headerBytes + (row[5] as number);
  const repoId = row.toString('latin1', headerBytes, end);
  if (row.readUInt32BE(0) !== readRevision(partition, repoId)) return encodeResponse(partition, id);
  const state = row[4] as number;
  const etag = toEtag(row.toString('latin1', 6, headerBytes), state >> 1);
  return { repoId, json: row.subarray(end), etag, processing: (state & 1) === 1 };
}

function encodeResponse(partition: Partition, id: string): ReadyResponse | undefined {
  const range = readRange(partition, id);
  if (range) {
    const repository = readRepository(partition, range.repoId);
    const json = toJson(rangeResponse(range, repository?.url ?? ''));
    return { repoId: range.repoId, json, etag: toEtag(digestOf(json)), processing: false };
  }
  const draft = readDraft(partition, id);
  if (!draft) return undefined;
  const json = toJson(draftResponse(draft));
  const etag = toEtag(draft.digest, verdictMark(draft.outdatedBecause));
  return { repoId: draft.repoId, json, etag, processing: draft.status === 'processing' };
}

function toJson(response: unknown): Buffer {
  return Buffer.from(JSON.stringify(response));
}
