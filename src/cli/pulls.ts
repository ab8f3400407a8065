/**
 * `tidings pulls REPO` lists the captured pull requests of a repository. `tidings pulls REPO NUMBER` shows one of them
 * and what the notes say about it.
 */
import type { ApiContext } from '../api/context.ts';
import type { PullNote } from '../protocol/pull-note.ts';
import { type Persona, personas } from '../protocol/stored.ts';
import { call, callAll } from './api.ts';
import { withService } from './connection.ts';
import { jsonOption, printJson } from './json.ts';
import { readNumber } from './number.ts';
import { printLines, printText } from './print.ts';
import { cursorPage } from './ranges.ts';
import { findRepository } from './repository.ts';
import { type CliCommand, single, UsageError, type Values } from './usage.ts';

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

const filters = {
  state: {
    value: 'STATE',
    choices: ['open', 'closed', 'merged'],
    help: 'Lists only those in this state: open, closed, merged',
  },
  label: { value: 'LABEL', help: 'Lists only those with this label' },
  base: { value: 'BRANCH', help: 'Lists only those into this branch' },
  limit: { value: 'N', help: 'Lists only the newest N (default: all)' },
} as const;

export const pullsCommand: CliCommand = single({
  arguments: 'OWNER/REPO|REPO_ID [NUMBER]',
  help: 'Lists the captured pull requests of a repository, the newest first, or shows what the notes say about one of them',
  options: {
    ...filters,
    ...jsonOption('the reply of GET /api/repos/{repoId}/pulls; with NUMBER {"pull", "note"} in the forms of the API'),
  },
  examples: ['pulls acme/rocket --state merged --limit 20', 'pulls acme/rocket 41'],
  run: ({ json, ...given }, [wanted = '', number]) => {
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
  },
});

/** @throws UsageError for a text that is not a number, and for filters, which only a list has */
function assertAlone(number: string, given: Values<typeof filters>): void {
  if (!/^[1-9]\d{0,9}$/.test(number))
    throw new UsageError(`NUMBER: expected the number of a pull request, got ${JSON.stringify(number)}`);
  for (const name of Object.keys(filters) as (keyof typeof filters)[])
    if (given[name] !== undefined) throw new UsageError(`--${name}: expected only without NUMBER`);
}

/** Returns the newest pull requests that the filters select. */
function pullsOf(
  context: ApiContext,
  repoId: string,
  { state, label, base }: Values<typeof filters>,
  limit: number | undefined,
): Promise<Pull[]> {
  const query = { ...(state && { state }), ...(label !== undefined && { label }), ...(base !== undefined && { base }) };
  return callAll(context, 'listPullRequests', 'pulls', { params: [repoId], query }, limit);
}

async function show(context: ApiContext, params: readonly string[], json: boolean | undefined): Promise<number> {
  const pull = await call<Pull>(context, 'getPullRequest', { params });
  const note = await call<PullNote>(context, 'getPullRequestNote', { params });
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
