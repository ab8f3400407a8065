/**
 * `tidings notes REPO [FROM..TO]`: generates the drafts between two tags, or of what is not released yet, prints them
 * as Markdown, and publishes them on request. Standard output contains the notes only. Progress, addresses and warnings
 * go to standard error.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiContext, partitionOfId, readPartition } from '../api/context.ts';
import { rangeRoutes } from '../api/ranges.ts';
import { toHostMarkdown } from '../channels/host/host-markdown.ts';
import { describeConflict } from '../foundation/conflicts.ts';
import type { ChannelName } from '../protocol/channels.ts';
import { personas } from '../protocol/names.ts';
import type { Persona } from '../protocol/stored.ts';
import type { DirectoryRepository } from '../store/tables/directory.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { call } from './api.ts';
import { withService } from './connection.ts';
import {
  makeDrafts,
  rangeBetween,
  type Span,
  type UnreleasedChoice,
  unreleasedOf,
  wantedDrafts,
} from './draft-making.ts';
import { exitCodes } from './exit.ts';
import { printJson } from './json.ts';
import { printMarkdown, printMessage } from './print.ts';
import type { PublishReply } from './publish.ts';
import { boundsOf, type Draft, type Range } from './ranges.ts';
import { findRepository } from './repository.ts';
import { stopSignal } from './stop-signal.ts';
import { type notesEntry, usualTimeout } from './table/notes.ts';
import { ConflictError, type Given, type Run, UsageError } from './usage.ts';
import { choiceOf } from './version.ts';

/** Interval between two reads of the drafts that `--watch` prints again after a change, in milliseconds. */
const watchMs = 1000;

/** What a command line asks for. */
interface Wanted {
  span: Span | undefined;
  isUnreleased: boolean;
  choice: UnreleasedChoice;
  personas: readonly Persona[];
  channels: readonly ChannelName[];
  asDraft: boolean;
  timeoutMs: number;
  json: boolean;
}

/** The notes of a range. */
interface Notes {
  repository: DirectoryRepository;
  range: Range;
  drafts: readonly Draft[];
}

/** The result of publishing one draft on one channel. */
interface Published extends PublishReply {
  persona: Persona;
  channel: ChannelName;
}

export const runNotes: Run<typeof notesEntry> = (values, [name = '', span]) => {
  const wanted = readWanted(values, span);
  return withService(async (context) => {
    const repository = findRepository(context.readers, name);
    const notes = await make(context, repository, wanted);
    return values.watch ? watch(context, notes, wanted) : show(context, notes, wanted);
  });
};

function readWanted(values: Given<typeof notesEntry>, span: string | undefined): Wanted {
  const { persona: wanted = personas, publish: channels = [], draft: asDraft = false, json = false } = values;
  const { unreleased: isUnreleased = false } = values;
  if (isUnreleased && span !== undefined) throw new UsageError('--unreleased cannot be used together with FROM..TO');
  if (values.branch !== undefined && !isUnreleased) throw new UsageError('--branch needs --unreleased');
  if (asDraft && !channels.includes('scm_releases')) throw new UsageError('--draft needs --publish scm_releases');
  const [alone] = [...(json ? ['--json'] : []), ...(channels.length > 0 ? ['--publish'] : [])];
  if (alone && values.watch) throw new UsageError(`${alone} cannot be used together with --watch`);
  return {
    span: span === undefined ? undefined : readSpan(span),
    personas: personas.filter((each) => wanted.includes(each)),
    channels: [...new Set(channels)],
    timeoutMs: readSeconds(values.timeout) * 1000,
    ...{ asDraft, json, isUnreleased, choice: choiceOf(values) },
  };
}

function readSpan(text: string): Span {
  const [, fromTag, toTag] = /^(.+?)\.\.\.?(?!\.)(.+)$/s.exec(text) ?? [];
  if (fromTag === undefined || toTag === undefined)
    throw new UsageError(`Expected two tags as FROM..TO, such as v1.0.0..v1.1.0, got ${JSON.stringify(text)}`);
  if (fromTag === toTag) throw new UsageError(`Expected two different tags as FROM..TO, got ${JSON.stringify(text)}`);
  return { fromTag, toTag };
}

function readSeconds(text = String(usualTimeout)): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1) throw new UsageError(`--timeout: expected a number of seconds from 1 to 99999, got ${text}`);
  return seconds;
}

async function make(context: ApiContext, repository: DirectoryRepository, wanted: Wanted): Promise<Notes> {
  const range = wanted.isUnreleased
    ? await unreleasedRange(context, repository.id, wanted.choice)
    : await rangeBetween(context, repository, wanted.span, wanted.choice);
  const label = `drafts of ${repository.fullName} ${boundsOf(range)}`;
  const deadline = performance.now() + wanted.timeoutMs;
  return { repository, range, drafts: await makeDrafts(context, range.id, wanted.personas, { label, deadline }) };
}

async function unreleasedRange(context: ApiContext, repoId: string, choice: UnreleasedChoice): Promise<Range> {
  const { rangeId } = await unreleasedOf(context, repoId, choice);
  return call(context, rangeRoutes, 'getRange', { params: [rangeId] });
}

/**
 * Prints the notes, and publishes them if they have no conflicts.
 * @throws ConflictError when a draft has conflicts
 */
async function show(context: ApiContext, notes: Notes, wanted: Wanted): Promise<number> {
  if (!wanted.json) print(context, notes);
  const isOpen = notes.drafts.some(({ conflicts }) => conflicts.length > 0);
  const published = isOpen ? [] : await publishAll(context, notes, wanted);
  if (wanted.json) printJson({ range: notes.range, drafts: notes.drafts, publications: published });
  if (isOpen) throw new ConflictError(conflictText(notes.drafts, wanted.channels.length > 0));
  return published.every(({ status }) => status === 'completed') ? exitCodes.done : exitCodes.failed;
}

function print(context: ApiContext, { repository, drafts }: Notes): void {
  const { id, fullName } = repository;
  const stored = readRepository(readPartition(context, partitionOfId(context, id) as string), id);
  const texts = drafts.map(({ persona, bodyMd }) => {
    const isPrivate = stored?.private !== false && persona === 'customer';
    const about = { id, fullName, url: stored?.url ?? '', defaultBranch: '', private: isPrivate };
    // This form has no hidden comments for any persona. They only help to merge the next generated text.
    const text = toHostMarkdown({ bodyMd, persona: 'customer', repository: about });
    return drafts.length === 1 ? text : `<!-- ${persona} -->\n\n${text}`;
  });
  printMarkdown(texts.join('\n'));
}

async function publishAll(context: ApiContext, { drafts }: Notes, wanted: Wanted): Promise<Published[]> {
  if (wanted.channels.length === 0) return [];
  // Only this option needs the code that publishes, and loading it takes longer than printing the notes.
  const { publishToEnd } = await import('./publish.ts');
  const published: Published[] = [];
  for (const { id, persona } of drafts)
    for (const channel of wanted.channels) {
      const asDraft = wanted.asDraft && channel === 'scm_releases';
      const reply = await publishToEnd(context, id, { channel, asDraft, strict: true });
      printMessage(describe({ ...reply, persona, channel }));
      published.push({ ...reply, persona, channel });
    }
  return published;
}

function describe({ persona, channel, id, status, url, error }: Published): string {
  const more = [url, error].filter((text) => text !== null).join('  ');
  return `${persona} on ${channel}: ${status}  ${more || id}`;
}

function conflictText(drafts: readonly Draft[], publishes: boolean): string {
  const lines = drafts.flatMap(({ id, persona, conflicts }) =>
    conflicts.map((conflict) => `${id} (${persona}): ${describeConflict(conflict)}: ${conflict.text}`),
  );
  const end = publishes ? ' Nothing was published.' : '';
  return [...lines, `Conflicts to resolve in the drafts: ${lines.length}.${end}`].join('\n');
}

/**
 * Prints the notes now and after each change, until a signal ends the command. Conflicts are reported each time. Notes
 * of what is not released yet are generated again when the content of their range has changed.
 */
async function watch(context: ApiContext, { repository, range, drafts }: Notes, wanted: Wanted): Promise<number> {
  const stopped = new AbortController();
  void stopSignal().then(() => stopped.abort());
  const contentOf = async (): Promise<string> =>
    wanted.isUnreleased ? JSON.stringify(await unreleasedOf(context, repository.id, wanted.choice)) : '';
  let content = await contentOf();
  let shown = '';
  while (!stopped.signal.aborted) {
    const current = await contentOf();
    if (current !== content) {
      content = current;
      await make(context, repository, wanted);
    }
    const now = await wantedDrafts(context, range.id, wanted.personas);
    const isReady = now.length === drafts.length && now.every(({ status }) => status === 'ready');
    if (isReady && stateOf(now) !== shown) {
      shown = stateOf(now);
      await show(context, { repository, range, drafts: now }, wanted).catch(reportConflicts);
    }
    await pause(watchMs, undefined, { signal: stopped.signal }).catch(() => {});
  }
  return exitCodes.done;
}

function reportConflicts(error: unknown): void {
  if (!(error instanceof ConflictError)) throw error;
  for (const line of error.message.split('\n')) printMessage(line);
}

function stateOf(drafts: readonly Draft[]): string {
  return drafts.map(({ revision }) => revision).join(' ');
}
