/**
 * Folds the automation of a repository: its rule, the run that an arriving tag starts, and the acts of a run. Acts are
 * ordinary commands. A run lists the acts that are folded. So each act is done once, even if a process is killed or the
 * command is enqueued again.
 */
import { ServiceError } from '../../src/foundation/errors.ts';
import { automationRuns } from '../../src/foundation/metrics.ts';
import { fits } from '../../src/notes/range/release-tags.ts';
import type { AutomationAct, AutomationRecord, AutomationRun, EndedRun } from '../../src/protocol/automation.ts';
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { TagRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  automationDigest,
  readAutomation,
  readRun,
  writeAutomation,
  writeRun,
} from '../../src/store/tables/automations.ts';
import { newestHeadTime } from '../../src/store/tables/branch-heads.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { removeEffect, writeEffect } from '../../src/store/tables/outbox.ts';
import { newestTagTime, readTag } from '../../src/store/tables/tags.ts';
import { count } from './counting.ts';
import { refused, stale } from './refusals.ts';

type CommandNamed<Name extends Command['name']> = Extract<Command, { name: Name }>;
/** A command that a rule can cause. */
type ActCommand = CommandNamed<'createRange' | 'generateDraft' | 'publish'>;

/** Stores a rule. Runs under way continue with the new rule. They end if the rule has no part for tags any more. */
export function putAutomation(
  partition: Partition,
  { repoId, rule, ifMatch }: CommandNamed<'putAutomation'>,
  at: number,
): CommandResult {
  if (ifMatch && !ifMatch.includes(automationDigest(partition, repoId))) return stale('Automation of', repoId);
  const open = readAutomation(partition, repoId)?.open ?? [];
  const newest = Math.max(newestHeadTime(partition, repoId), newestTagTime(partition, repoId));
  writeAutomation(partition, repoId, { rule, setAt: at, newest, open });
  for (const tag of open) {
    if (!rule.onTag) skip(partition, repoId, tag, 'The rule for tags was switched off.', at);
    else if (!fits(tag, rule.onTag.pattern)) skip(partition, repoId, tag, 'The new rule does not match the tag.', at);
  }
  if (rule.unreleased || rule.onTag) requestAutomation(partition, repoId);
  // The result holds the repository's id, so that erasing the repository also erases the result.
  return { ok: true, value: { id: repoId, digest: automationDigest(partition, repoId) } };
}

/** Switches the rule of a repository off that has a new owner. Its former owner has set the rule, and may not publish. */
export function endAutomation(partition: Partition, repoId: string, at: number): void {
  const automation = readAutomation(partition, repoId);
  if (!automation || (!automation.rule.onTag && !automation.rule.unreleased)) return;
  for (const tag of automation.open) skip(partition, repoId, tag, newOwner, at);
  const rule = { onTag: null, unreleased: null };
  writeAutomation(partition, repoId, { ...automation, rule, setAt: at, open: [], problem: newOwner });
}

const newOwner = 'The repository has a new owner, so the rule of the former owner was switched off.';

/** Requests an evaluation of the rule of a repository, if the repository has a rule. */
export function requestAutomation(partition: Partition, repoId: string): void {
  if (readAutomation(partition, repoId)) writeEffect(partition, { effect: 'automate', repoId }, `automate ${repoId}`);
}

/** Requests an evaluation if the rule keeps drafts of unreleased changes up to date. */
export function requestRefresh(partition: Partition, repoId: string): void {
  if (readAutomation(partition, repoId)?.rule.unreleased) requestAutomation(partition, repoId);
}

/**
 * Starts the run of a tag that a delivery of the host has reported. A tag that is older than the rule starts no run,
 * and gets a run that is skipped if it is moved or deleted. Otherwise it would seem new when it is pushed again.
 * @param before the tag before the delivery
 */
export function followTag(
  partition: Partition,
  repoId: string,
  before: TagRecord | undefined,
  tag: TagRecord,
  at: number,
): void {
  const automation = readAutomation(partition, repoId);
  const { onTag } = automation?.rule ?? {};
  if (!automation || !onTag || !fits(tag.name, onTag.pattern) || readRun(partition, repoId, tag.name)) return;
  // The host can have reported a new tag to a tag sync before. Its delivery neither moves nor deletes it.
  const isChanged = tag.deleted || (before !== undefined && before.sha !== null && before.sha !== tag.sha);
  if (before && !before.deleted && before.pushedAt <= automation.newest && isChanged)
    return writeRun(partition, repoId, { ...newRun(tag.name, at), endedAt: at, status: 'skipped', problem: isOlder });
  if (tag.deleted || tag.pushedAt <= automation.newest) return;
  writeRun(partition, repoId, newRun(tag.name, at));
  writeAutomation(partition, repoId, { ...automation, open: [...automation.open, tag.name] });
  requestAutomation(partition, repoId);
}

const isOlder = 'The tag is older than the rule.';

function newRun(tag: string, at: number): AutomationRun {
  const nothing = { rangeId: null, acts: [], publications: [], problem: null };
  return { tag, startedAt: at, endedAt: null, status: 'running', ...nothing };
}

/** Stores that an unreleased range has become the range of a tag. The run of the tag uses this range. */
export function noteReached(partition: Partition, repoId: string, tag: string, rangeId: string): void {
  const run = readRun(partition, repoId, tag);
  if (run?.endedAt === null && run.rangeId === null) writeRun(partition, repoId, { ...run, rangeId });
}

/**
 * Carries out the act of a run, unless it is folded already or the run has ended.
 * @param carryOut folds the command itself
 */
export function foldAct(
  partition: Partition,
  { repoId, tag, name }: AutomationAct,
  command: ActCommand,
  at: number,
  carryOut: () => CommandResult,
): CommandResult {
  const run = readRun(partition, repoId, tag);
  const repeated = { ok: true, value: { repoId, repeated: true } } as const;
  if (run?.endedAt !== null || run.acts.includes(name)) return repeated;
  // An unreleased range can have become the range of the tag since the evaluation.
  if (command.name === 'createRange' && run.rangeId !== null) return repeated;
  const isGone = command.name === 'publish' && readTag(partition, repoId, tag)?.deleted !== false;
  const result = isGone ? refused(new ServiceError('conflict', 'The tag was deleted.')) : carryOut();
  const acted = { ...run, acts: [...run.acts, name] };
  writeRun(partition, repoId, { ...acted, ...outcomeOf(partition, acted, command, result) });
  if (!result.ok && command.name !== 'publish') endRun(partition, repoId, { tag, problem: result.message }, at);
  return result;
}

function outcomeOf(
  partition: Partition,
  { publications }: AutomationRun,
  command: ActCommand,
  result: CommandResult,
): Partial<AutomationRun> {
  const id = result.ok ? (result.value as { id: string }).id : null;
  switch (command.name) {
    case 'createRange':
      return { rangeId: id };
    case 'generateDraft':
      return { rangeId: command.rangeId };
    case 'publish': {
      const { channel, asDraft: draft, draftId } = command;
      const { persona = 'engineer', rangeId = null } = readDraft(partition, draftId) ?? {};
      const error = result.ok ? null : result.message;
      return { rangeId, publications: [...publications, { channel, persona, draft, publicationId: id, error }] };
    }
  }
}

/** Folds the outcome of an evaluation: publications that were refused, and runs that have ended. */
export function automated(
  partition: Partition,
  { repoId, row, done, refused: publicationsRefused, ended, problem }: Extract<ResultBody, { result: 'automated' }>,
  at: number,
): void {
  if (done) removeEffect(partition, row);
  for (const { tag, name, ...publication } of publicationsRefused) {
    const run = readRun(partition, repoId, tag);
    if (run?.endedAt !== null || run.acts.includes(name)) continue;
    const publications = [...run.publications, { ...publication, publicationId: null }];
    writeRun(partition, repoId, { ...run, acts: [...run.acts, name], publications });
  }
  for (const each of ended) endRun(partition, repoId, each, at);
  const automation = readAutomation(partition, repoId);
  if (automation) writeAutomation(partition, repoId, withProblem(automation, problem));
}

function withProblem({ problem: _, ...automation }: AutomationRecord, problem: string | null): AutomationRecord {
  return { ...automation, ...(problem !== null && { problem }) };
}

function endRun(partition: Partition, repoId: string, { tag, problem, skipped }: EndedRun, at: number): void {
  const run = readRun(partition, repoId, tag);
  if (run?.endedAt !== null) return;
  if (skipped) return close(partition, repoId, { ...run, status: 'skipped', problem }, at);
  const isFailed = problem !== null || run.publications.some(({ error }) => error !== null);
  close(partition, repoId, { ...run, status: isFailed ? 'failed' : 'completed', problem }, at);
}

function skip(partition: Partition, repoId: string, tag: string, problem: string, at: number): void {
  const run = readRun(partition, repoId, tag);
  if (run) close(partition, repoId, { ...run, status: 'skipped', problem }, at);
}

function close(partition: Partition, repoId: string, run: AutomationRun, at: number): void {
  writeRun(partition, repoId, { ...run, endedAt: at });
  count(partition, automationRuns, { status: run.status });
  const automation = readAutomation(partition, repoId);
  if (!automation) return;
  writeAutomation(partition, repoId, { ...automation, open: automation.open.filter((tag) => tag !== run.tag) });
}
