/**
 * Makes drafts for `tidings notes`: finds or creates the release range, generates its drafts, and waits until they are
 * ready.
 */
import { didYouMean } from '../../config/nearest.ts';
import { type ApiContext, partitionOfId, readPartition } from '../api/context.ts';
import { draftRoutes } from '../api/drafts.ts';
import { rangeRoutes } from '../api/ranges.ts';
import { unreleasedRoutes } from '../api/unreleased.ts';
import { terminalText } from '../foundation/visible-text.ts';
import type { ReleaseChoice } from '../notes/range/release-tags.ts';
import type { SuggestedVersion } from '../protocol/notes.ts';
import type { Persona } from '../protocol/stored.ts';
import type { DirectoryRepository } from '../store/tables/directory.ts';
import { readCursor } from '../store/tables/meta.ts';
import { listTags } from '../store/tables/tags.ts';
import { call } from './api.ts';
import { createProgress } from './progress.ts';
import { type Draft, draftsOf, type Range, rangesOf } from './ranges.ts';
import { NotFoundError } from './usage.ts';

/** The two tags of a range. */
export interface Span {
  fromTag: string;
  toTag: string;
}

/** Maximum interval between two reads of drafts that are not ready, in milliseconds. */
const pollMs = 250;

/**
 * Returns the range between two tags. A range with the same bounds is used again; otherwise a range is created.
 * @param given the two tags; undefined for the two newest release tags
 * @param choice which tags count as release tags
 * @throws NotFoundError for a tag that is not known, and when the repository has fewer than two release tags
 */
export async function rangeBetween(
  context: ApiContext,
  repository: DirectoryRepository,
  given: Span | undefined,
  choice: ReleaseChoice,
): Promise<Range> {
  const span = given ?? (await newestSpan(context, repository, choice));
  for (const tag of [span.fromTag, span.toTag]) assertTag(context, repository, tag);
  const ranges = await rangesOf(context, repository.id);
  const known = ranges.find(({ fromTag, toTag }) => fromTag === span.fromTag && toTag === span.toTag);
  return (
    known ??
    call<Range>(context, rangeRoutes, 'createRange', { body: { type: 'TAG_BASED', repoId: repository.id, ...span } })
  );
}

async function newestSpan(
  context: ApiContext,
  { id, fullName }: DirectoryRepository,
  choice: ReleaseChoice,
): Promise<Span> {
  // Only a command line without tags compares versions.
  const { releaseTags } = await import('../notes/range/release-tags.ts');
  const [to, from] = releaseTags(tagsOf(context, id), choice);
  if (to && from) return { fromTag: from.name, toTag: to.name };
  const { tagPattern } = choice;
  const which = tagPattern === undefined ? '' : ` that match ${JSON.stringify(tagPattern)}`;
  throw new NotFoundError(`${fullName} has fewer than two release tags${which}. Name two tags as FROM..TO`);
}

function assertTag(context: ApiContext, { id, fullName }: DirectoryRepository, tag: string): void {
  const known = tagsOf(context, id).map(({ name }) => name);
  if (known.includes(tag)) return;
  throw new NotFoundError(`${fullName} has no tag ${JSON.stringify(tag)}.${didYouMean(tag, known)}`);
}

function tagsOf(context: ApiContext, repoId: string) {
  const partition = readPartition(context, partitionOfId(context, repoId) as string);
  return listTags(partition, repoId).filter(({ sha }) => sha !== null);
}

/** The fields of the reply about unreleased changes that commands use. */
export interface Unreleased {
  rangeId: string;
  branch: string | null;
  since: { tag: string } | null;
  suggestedVersion: SuggestedVersion;
}

/** Which unreleased changes a command line asks for. */
export interface UnreleasedChoice extends ReleaseChoice {
  branch?: string;
}

/** Returns what was merged to a branch since its newest release. The range that follows the branch exists afterwards. */
export function unreleasedOf(
  context: ApiContext,
  repoId: string,
  { branch, tagPattern, prereleases }: UnreleasedChoice,
): Promise<Unreleased> {
  const query = {
    ...(branch !== undefined && { branch }),
    ...(tagPattern !== undefined && { tagPattern }),
    ...(prereleases && { prereleases: 'true' }),
  };
  return call(context, unreleasedRoutes, 'getUnreleased', { params: [repoId], query });
}

/**
 * Generates the drafts of a range for some personas, shows the progress on standard error, and returns the drafts in
 * the order of the personas.
 * @param label names the drafts in the progress display
 * @param deadline time of `performance.now()` after which waiting fails
 * @throws Error when a draft could not be written, or is not ready in time
 */
export async function makeDrafts(
  context: ApiContext,
  rangeId: string,
  personas: readonly Persona[],
  { label, deadline }: { label: string; deadline: number },
): Promise<Draft[]> {
  const stream = process.stderr;
  const progress = createProgress({ label: terminalText(label), total: personas.length, stream });
  for (const persona of personas)
    await call(context, draftRoutes, 'generateDraft', { params: [rangeId], body: { persona } });
  let counted = 0;
  for (;;) {
    const drafts = await wantedDrafts(context, rangeId, personas);
    const finished = drafts.filter(({ status }) => status !== 'processing').length;
    progress.advance(finished - counted);
    counted = finished;
    if (finished === personas.length) {
      progress.done();
      return drafts.map(assertWritten);
    }
    if (performance.now() > deadline)
      throw new Error('The drafts are not ready in time. The service continues to write them: run the command again');
    const name = partitionOfId(context, rangeId) as string;
    await context.signals.wait(name, readCursor(readPartition(context, name)).seq + 1, pollMs);
  }
}

/** Returns the stored drafts of a range for some personas, in the order of the personas. */
export async function wantedDrafts(
  context: ApiContext,
  rangeId: string,
  personas: readonly Persona[],
): Promise<Draft[]> {
  const drafts = await draftsOf(context, rangeId);
  return personas.flatMap((persona) => drafts.find((draft) => draft.persona === persona) ?? []);
}

function assertWritten(draft: Draft): Draft {
  if (draft.status === 'ready') return draft;
  throw new Error(`The draft for ${draft.persona} readers could not be written: ${draft.error ?? 'unknown error'}`);
}
