/**
 * The automation task: finds what the rule of a repository makes due. It reads the state of the partition only, so an
 * evaluation that is repeated after a kill finds the same acts with the same names.
 */
import { draftId } from '../../src/foundation/ids.ts';
import { versionOf } from '../../src/notes/range/release-tags.ts';
import { rangeOfTag } from '../../src/notes/range/tag-ranges.ts';
import type {
  AutomationRun,
  AutomationTask,
  DueActs,
  OnTag,
  RulePublication,
  UnreleasedRule,
} from '../../src/protocol/automation.ts';
import type { DraftRecord, Persona, RangeBounds, RangeRecord, ReachedBounds } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readAutomation, readRun } from '../../src/store/tables/automations.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { hasEffectOf } from '../../src/store/tables/outbox.ts';
import { listRanges, readErasedRecount, readRange } from '../../src/store/tables/ranges.ts';
import { readUnreleased } from '../../src/store/tables/unreleased-ranges.ts';
import { reachedBounds } from './recount.ts';

/** Time until the next evaluation while a draft or a recount is under way, in milliseconds. */
const soonMs = 300;
/** Maximum number of runs per evaluation, the oldest first. */
const maxRuns = 50;
/** How long a run waits for the commit of its tag, in milliseconds. A push can be delivered after its tag. */
const commitMs = 5 * 60_000;
/**
 * How long a publication waits for the recount and the check of its draft, in milliseconds. In a repository with a
 * steady stream of events, one of them nearly always waits.
 */
const settleMs = 60_000;
/** How long the run of a tag such as `v1` waits for the tag with the full version on its commit, in milliseconds. */
const shortTagMs = 30_000;
const tagDeleted = 'The tag was deleted.';
/** Maximum number of generations per draft and run. A draft is generated again if late events have outdated it. */
const maxGenerations = 3;

/** Finds what is due at the time `now`. */
export function findDue(partition: Partition, { repoId, now }: AutomationTask, beforeRead: () => void): DueActs {
  const found: DueActs = { acts: [], refused: [], ended: [], waitMs: { runs: null, branch: null } };
  const automation = readAutomation(partition, repoId);
  const view = automation && RepositoryView.of(partition, repoId, beforeRead);
  if (!view) return found;
  let ranges: RangeRecord[] | undefined;
  const listed = (): RangeRecord[] => {
    ranges ??= listRanges(partition, repoId);
    return ranges;
  };
  let reachedTags: Set<string> | undefined;
  const reached = (): Set<string> => {
    const reaching = ({ bounds, openEnds }: RangeRecord) =>
      (openEnds && reachedBounds(view, bounds, openEnds)?.toTag) ?? [];
    reachedTags ??= new Set(listed().flatMap(reaching));
    return reachedTags;
  };
  const evaluation: Evaluation = { partition, view, ranges: listed, reached, now, found };
  const { onTag, unreleased } = automation.rule;
  const runs = automation.open.slice(0, maxRuns).flatMap((tag) => readRun(partition, repoId, tag) ?? []);
  if (onTag) for (const run of runs) findForTag(evaluation, onTag, run);
  // An act that was refused would be refused in each evaluation, and a run is evaluated several times per second.
  const isRefused = runs.length > 0 && automation.problem !== undefined;
  if (unreleased && !isRefused) findForBranch(evaluation, unreleased);
  return found;
}

interface Evaluation {
  partition: Partition;
  view: RepositoryView;
  /** Lists the ranges of the repository. They are read once per evaluation. */
  ranges: () => RangeRecord[];
  /** Returns the tags that unreleased ranges have reached and become the ranges of with the next recount. */
  reached: () => ReadonlySet<string>;
  now: number;
  found: DueActs;
}

function findForTag(evaluation: Evaluation, onTag: OnTag, run: AutomationRun): void {
  const { found } = evaluation;
  const [acts, ended] = [found.acts.length, found.ended.length];
  if (run.rangeId !== null && !evaluation.view.tag(run.tag)) awaitTag(evaluation, run);
  else {
    const rangeId = run.rangeId ?? findRange(evaluation, run);
    if (rangeId !== undefined) findForRange(evaluation, onTag, run, rangeId);
  }
  // The next evaluation finds what follows from the acts of this one.
  if (found.acts.length > acts || found.ended.length > ended) wait(found, 'runs', soonMs);
}

/** Waits for a tag that was deleted after its range was made: a tag that is moved can be deleted and pushed again. */
function awaitTag(evaluation: Evaluation, run: AutomationRun): void {
  if (!awaitCommit(evaluation, run)) evaluation.found.ended.push({ tag: run.tag, problem: tagDeleted });
}

/**
 * Requests another evaluation while the commit of a run's tag can still arrive. The intervals grow with the age of the
 * run. Returns whether it requested one.
 */
function awaitCommit({ now, found }: Evaluation, { startedAt }: AutomationRun): boolean {
  const waitsMs = startedAt + commitMs - now;
  if (waitsMs <= 0) return false;
  wait(found, 'runs', Math.min(waitsMs, Math.max(soonMs, (now - startedAt) / 4)));
  return true;
}

/** Returns the range of a tag, or adds the act that creates it. Returns undefined while the range does not exist. */
function findRange(evaluation: Evaluation, run: AutomationRun): string | undefined {
  const { partition, view, ranges, reached, now, found } = evaluation;
  const { tag: name, startedAt } = run;
  const tag = view.tag(name);
  const isPlaced = typeof tag?.sha === 'string' && view.commit(tag.sha) !== undefined;
  if (!isPlaced && awaitCommit(evaluation, run)) return undefined;
  if (tag && isShort(name)) {
    const full = view.tags().find((other) => other.sha === tag.sha && !isShort(other.name));
    if (full) found.ended.push({ tag: name, problem: `The tag ${full.name} is on the same commit.`, skipped: true });
    else if (now < startedAt + shortTagMs) wait(found, 'runs', soonMs);
    if (full || now < startedAt + shortTagMs) return undefined;
  }
  // The recount that is due makes this range the range of the tag. A recount can wait longer than the commit.
  const isRecounting = hasEffectOf(partition, `recount ${view.repository.id}`);
  if ((now < startedAt + commitMs || isRecounting) && reached().has(name)) {
    wait(found, 'runs', soonMs);
    return undefined;
  }
  const bounds = rangeOfTag(view, name);
  const existing = bounds && ranges().find((range) => isSame(range.bounds, bounds))?.id;
  if (existing !== undefined) return existing;
  if (bounds) found.acts.push({ run: { tag: name, name: 'range', startedAt }, make: 'range', bounds });
  else found.ended.push({ tag: name, problem: tag ? 'The commit of the tag is not known.' : tagDeleted });
  return undefined;
}

/** Whether a tag has no third number, as `v1` and `v1.2` have none. Such tags often move to each new release. */
function isShort(name: string): boolean {
  return !versionOf(name)?.hasPatch;
}

function isSame(bounds: RangeBounds, { type, ...tags }: ReachedBounds): boolean {
  return (
    bounds.type === type &&
    bounds.toTag === tags.toTag &&
    bounds.fromTag === ('fromTag' in tags ? tags.fromTag : undefined)
  );
}

function findForRange(evaluation: Evaluation, { personas, publish }: OnTag, run: AutomationRun, rangeId: string): void {
  const { partition, view, found } = evaluation;
  const { tag } = run;
  if (!readRange(partition, rangeId)) return void found.ended.push({ tag, problem: 'The range was erased.' });
  const drafts = new Map(personas.map((persona) => [persona, readDraft(partition, draftId(rangeId, persona))]));
  // A draft is refused while it is counted which changes were erased after their retention period.
  if (readErasedRecount(partition, view.repository.id) > 0 && evaluation.now < run.startedAt + commitMs)
    return wait(found, 'runs', soonMs);
  const isSettling =
    hasEffectOf(partition, `recount ${view.repository.id}`) || hasEffectOf(partition, `outdated ${view.repository.id}`);
  const waits = isSettling && evaluation.now < run.startedAt + settleMs;
  const open = personas.filter(
    (persona) => !findForDraft(evaluation, run, rangeId, persona, drafts.get(persona), waits),
  );
  for (const what of publish) {
    const draft = drafts.get(what.persona);
    if (draft && !open.includes(what.persona)) findForPublication(found, run, rangeId, draft, what);
  }
  const isActed = publish.every((what) => run.acts.includes(publicationAct(what)));
  if (open.length > 0 || !isActed) return;
  const failed = [...drafts.values()].find((draft) => draft?.status === 'failed');
  found.ended.push({ tag, problem: failed ? whyFailed(failed) : null });
}

/**
 * Returns whether a draft has its final state: nothing is left to generate or to wait for. Adds the act that generates
 * it otherwise.
 */
function findForDraft(
  { found }: Evaluation,
  run: AutomationRun,
  rangeId: string,
  persona: Persona,
  draft: DraftRecord | undefined,
  waits: boolean,
): boolean {
  const generations = run.acts.filter((act) => act.startsWith(`draft ${persona} `)).length;
  const { tag, startedAt } = run;
  const isMissing = !draft || (draft.status === 'failed' && generations === 0);
  const isOutdated = draft?.status === 'ready' && draft.outdatedBecause !== undefined;
  if (draft?.status === 'processing' || (!isMissing && waits)) {
    wait(found, 'runs', soonMs);
    return false;
  }
  if (!isMissing && !(isOutdated && generations < maxGenerations)) return true;
  const name = `draft ${persona} ${generations + 1}`;
  found.acts.push({ run: { tag, name, startedAt }, make: 'draft', rangeId, persona });
  return false;
}

function findForPublication(
  found: DueActs,
  { tag, acts, startedAt }: AutomationRun,
  rangeId: string,
  draft: DraftRecord,
  what: RulePublication,
): void {
  const name = publicationAct(what);
  if (acts.includes(name)) return;
  const { id, revision, status } = draft;
  if (status === 'ready')
    found.acts.push({ run: { tag, name, startedAt }, make: 'publication', draftId: id, rangeId, revision, what });
  else {
    const { channel, persona, draft: asDraft = false } = what;
    found.refused.push({ tag, name, channel, persona, draft: asDraft, error: whyFailed(draft) });
    wait(found, 'runs', soonMs);
  }
}

function publicationAct({ channel, persona }: RulePublication): string {
  return `publish ${channel} ${persona}`;
}

function whyFailed({ persona, error }: DraftRecord): string {
  return `The draft for ${persona} readers is not ready. ${error ?? ''}`.trim();
}

/**
 * Finds what is due for the unreleased range of a branch: the range itself, and drafts that are missing or outdated.
 */
function findForBranch(evaluation: Evaluation, { branch, personas, refreshMinutes }: UnreleasedRule): void {
  const { partition, view, now, found } = evaluation;
  const { id: repoId, defaultBranch } = view.repository;
  const bounds = { type: 'UNRELEASED', ...(branch !== undefined && branch !== defaultBranch && { branch }) } as const;
  const rangeId = readUnreleased(partition, repoId, bounds);
  if (rangeId === undefined) {
    found.acts.push({ run: null, make: 'range', bounds });
    return wait(found, 'branch', soonMs);
  }
  for (const persona of personas) {
    const draft = readDraft(partition, draftId(rangeId, persona));
    if (draft?.status === 'processing') wait(found, 'branch', soonMs);
    if (draft?.status === 'processing' || (draft?.status === 'ready' && !draft.outdatedBecause)) continue;
    const dueAt = draft ? draft.updatedAt + refreshMinutes * 60_000 : now;
    if (dueAt > now) wait(found, 'branch', dueAt - now);
    else {
      // A draft that changes before the command is folded is not generated again.
      found.acts.push({ run: null, make: 'draft', rangeId, persona, seen: draft ? [draft.digest] : [] });
      wait(found, 'branch', soonMs);
    }
  }
}

/** Requests another evaluation, in `ms` milliseconds at the latest. */
function wait({ waitMs }: DueActs, what: keyof DueActs['waitMs'], ms: number): void {
  waitMs[what] = Math.min(waitMs[what] ?? ms, ms);
}
