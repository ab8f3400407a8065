/**
 * `tidings ranges REPO` lists the release ranges of a repository. `tidings drafts REPO` lists the drafts of its ranges.
 */
import type { ApiContext } from '../api/context.ts';
import { draftListRoutes } from '../api/draft-list.ts';
import { rangeRoutes } from '../api/ranges.ts';
import type { Conflict } from '../protocol/conflicts.ts';
import type { Persona, RangeBounds } from '../protocol/stored.ts';
import { call, callAll } from './api.ts';
import { withService } from './connection.ts';
import { printJson } from './json.ts';
import { printLines } from './print.ts';
import { findRepository } from './repository.ts';
import type { draftsEntry, rangesEntry } from './table/notes.ts';
import { NotFoundError, type Run } from './usage.ts';

/** The fields of a range that commands use. */
export interface Range extends Pick<RangeBounds, 'fromDate' | 'toDate' | 'fromPrNumber' | 'toPrNumber'> {
  id: string;
  fromTag?: string | null;
  toTag?: string | null;
  branch?: string | null;
  prCount: number;
  issueCount: number;
  createdAt: string;
}

/** The fields of a draft that commands use. */
export interface Draft {
  id: string;
  releaseRangeId: string;
  persona: Persona;
  status: 'processing' | 'ready' | 'failed';
  revision: number;
  bodyMd: string;
  conflicts: Conflict[];
  outdated: boolean;
  error?: string;
}

export const runRanges: Run<typeof rangesEntry> = ({ json }, [wanted = '']) =>
  withService(async (context) => {
    const ranges = await rangesOf(context, findRepository(context.readers, wanted).id);
    if (json) return printJson(wholePage('ranges', ranges));
    printLines(ranges.map(describe), 'There are no release ranges.');
    return 0;
  });

export const runDrafts: Run<typeof draftsEntry> = ({ range: bounds, persona, outdated, json }, [wanted = '']) =>
  withService(async (context) => {
    const { id, fullName } = findRepository(context.readers, wanted);
    const all = await rangesOf(context, id);
    const ranges = all.filter((range) => bounds === undefined || range.id === bounds || boundsOf(range) === bounds);
    if (bounds !== undefined && ranges.length === 0)
      throw new NotFoundError(`${fullName} has no range ${JSON.stringify(bounds)}. Run: tidings ranges ${fullName}`);
    const chosen = { ...(persona && { persona }), ...(outdated && { outdated: 'true' as const }) };
    const drafts: Draft[] = [];
    if (outdated && bounds === undefined) drafts.push(...(await draftsIn(context, id, chosen)));
    else for (const range of ranges) drafts.push(...(await draftsOf(context, range.id, chosen)));
    if (json) return printJson(cursorPage('drafts', drafts));
    const names = new Map(ranges.map((range) => [range.id, boundsOf(range)]));
    printLines(
      drafts.map((draft) => describeDraft(draft, names.get(draft.releaseRangeId) ?? '')),
      'There are no drafts.',
    );
    return 0;
  });

/** Returns all ranges of a repository, the newest first. */
export async function rangesOf(context: ApiContext, repoId: string): Promise<Range[]> {
  return (await call<{ ranges: Range[] }>(context, rangeRoutes, 'listRanges', { query: { repoId } })).ranges;
}

/** Selects drafts of a list. */
interface DraftFilters {
  persona?: Persona;
  outdated?: 'true';
}

/** Returns the drafts of a range. */
export async function draftsOf(context: ApiContext, rangeId: string, filters: DraftFilters = {}): Promise<Draft[]> {
  const query = { releaseRangeId: rangeId, ...filters };
  return (await call<{ drafts: Draft[] }>(context, draftListRoutes, 'listDrafts', { query })).drafts;
}

/** Returns the drafts of a repository. */
function draftsIn(context: ApiContext, repoId: string, filters: DraftFilters): Promise<Draft[]> {
  return callAll(context, draftListRoutes, 'listDrafts', 'drafts', { query: { repoId, ...filters } });
}

/** Returns the bounds of a range as one text, such as `v1.0.0..v1.1.0`, `v1.1.0..main` or `#1..#9`. */
export function boundsOf({ fromTag, toTag, branch, fromDate, toDate, fromPrNumber, toPrNumber }: Range): string {
  if (fromDate !== undefined) return `${fromDate}..${toDate}`;
  if (fromPrNumber !== undefined) return `#${fromPrNumber}..#${toPrNumber}`;
  return `${fromTag ?? ''}..${toTag ?? branch ?? ''}`;
}

function wholePage(name: string, items: readonly object[]): object {
  return { [name]: items, total: items.length, hasMore: false, nextOffset: null };
}

/** Returns items in the form of a list of the API that cursors continue, as if one request had examined all of it. */
export function cursorPage(name: string, items: readonly object[]): object {
  return { ...wholePage(name, items), nextCursor: null };
}

function describe(range: Range): string {
  const { id, prCount, issueCount, createdAt } = range;
  return `${id}  ${boundsOf(range)}  pull requests: ${prCount}, issues: ${issueCount}  created ${createdAt}`;
}

function describeDraft({ id, persona, status, revision, conflicts, outdated }: Draft, bounds: string): string {
  const open = conflicts.length > 0 ? `  conflicts: ${conflicts.length}` : '';
  const old = outdated ? '  outdated' : '';
  return `${id}  ${bounds}  ${persona.padEnd(8)}  ${status}  revision ${revision}${open}${old}`;
}
