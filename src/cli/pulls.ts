/**
 * `tidings pulls REPO` lists the captured pull requests of a repository. `tidings pulls REPO NUMBER` shows one of them
 * and what the notes say about it.
 */
import { capturedRoutes } from '../api/captured.ts';
import { capturedListRoutes } from '../api/captured-lists.ts';
import type { ApiContext } from '../api/context.ts';
import { personas } from '../protocol/names.ts';
import type { PullNote } from '../protocol/pull-note.ts';
import type { Persona } from '../protocol/stored.ts';
import { call, callAll } from './api.ts';
import { withService } from './connection.ts';
import { printJson } from './json.ts';
import { readNumber } from './number.ts';
import { printLines, printText } from './print.ts';
import { cursorPage } from './ranges.ts';
import { findRepository } from './repository.ts';
import { pullFilters, type pullsEntry } from './table/notes.ts';
import { type Given, type Run, UsageError } from './usage.ts';

/** The fields of a pull request that the command uses. */
interface Pull {
  number: number;
  title: string;
  state: 'open' | 'closed' | 'merged';
  labels: string[];
  author: { handle: string };
  createdAt: string | null;
  closedAt: string | null;
  mergedAt: string | null;
  baseBranch: string | null;
  headBranch: string | null;
  url: string;
}

type Filters = Given<typeof pullsEntry>;

export const runPulls: Run<typeof pullsEntry> = async ({ json, ...given }, [wanted = '', number]) => {
  if (number !== undefined) assertAlone(number, given);
  const limit = readNumber('--limit', 'pull requests', given.limit, 1, 999_999);
  return withService(async (context) => {
    const { id } = findRepository(context.readers, wanted);
    if (number !== undefined) return show(context, [id, number], json);
    const pulls = await pullsOf(context, id, given, limit);
    if (json) return printJson(cursorPage('pulls', pulls));
    const width = Math.max(0, ...pulls.map((pull) => `#${pull.number}`.length));
    printLines(
      pulls.map((pull) => describe(pull, width)),
      'There are no pull requests.',
    );
    return 0;
  });
};

/** @throws UsageError for a text that is not a number, and for filters, which only a list has */
function assertAlone(number: string, given: Filters): void {
  if (!/^[1-9]\d{0,9}$/.test(number))
    throw new UsageError(`NUMBER: expected the number of a pull request, got ${JSON.stringify(number)}`);
  for (const name of Object.keys(pullFilters) as (keyof typeof pullFilters)[])
    if (given[name] !== undefined) throw new UsageError(`--${name}: expected only without NUMBER`);
}

/** Returns the newest pull requests that the filters select. */
function pullsOf(
  context: ApiContext,
  repoId: string,
  { state, label, base }: Filters,
  limit: number | undefined,
): Promise<Pull[]> {
  const query = { ...(state && { state }), ...(label !== undefined && { label }), ...(base !== undefined && { base }) };
  return callAll(context, capturedListRoutes, 'listPullRequests', 'pulls', { params: [repoId], query }, limit);
}

async function show(context: ApiContext, params: readonly string[], json: boolean | undefined): Promise<number> {
  const pull = await call<Pull>(context, capturedRoutes, 'getPullRequest', { params });
  const note = await call<PullNote>(context, capturedRoutes, 'getPullRequestNote', { params });
  if (json) return printJson({ pull, note });
  const { author, baseBranch, headBranch, labels, url } = pull;
  printLines([
    describe(pull),
    `by ${author.handle}, from ${headBranch ?? 'an unknown branch'} into ${baseBranch ?? 'an unknown branch'}`,
    `labels: ${labels.join(', ') || 'none'}`,
    url,
    '',
    `check: ${note.verdict.state}. ${note.verdict.message}`,
    `in the notes: ${note.included ? 'yes' : 'no'} (${reasonOf(note)})`,
  ]);
  for (const persona of personas) printText(entriesFor(note, persona));
  return 0;
}

function describe({ number, state, title, labels, ...times }: Pull, width = 0): string {
  const since = times.mergedAt ?? times.closedAt ?? times.createdAt;
  const day = since?.slice(0, 10) ?? '(no date)';
  const marked = labels.length > 0 ? `  [${labels.join(', ')}]` : '';
  return `${`#${number}`.padStart(width)}  ${state.padEnd(6)}  ${day.padEnd(10)}  ${title}${marked}`;
}

function reasonOf({ reason, detail, section, kindBy }: PullNote): string {
  const kind = section === undefined ? [] : [kindBy === undefined ? section : `${section} by ${kindBy}`];
  return [reason, ...(detail === undefined ? [] : [detail]), ...kind].join(', ');
}

function entriesFor({ lines }: PullNote, persona: Persona): string {
  const entries = lines[persona].map(({ heading, markdown }) => `${heading}:\n${markdown}`);
  return `\n${persona}\n${entries.join('\n') || 'no entry'}`;
}
