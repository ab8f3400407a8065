/**
 * Tests the automation of a repository: which tags start a run, what an evaluation finds due, and that each act is
 * folded once, however often and in which order records arrive.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { derivedUlid, draftId as draftIdOf, ulid } from '../../../src/foundation/ids.ts';
import type { AutomationRule, AutomationRun, DueAct, DueActs } from '../../../src/protocol/automation.ts';
import type { Command, CommandResult } from '../../../src/protocol/commands.ts';
import type { EventBody } from '../../../src/protocol/events.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { automationDigest, newestRuns, readAutomation, readRun } from '../../../src/store/tables/automations.ts';
import { readDraft } from '../../../src/store/tables/drafts.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { listPublications } from '../../../src/store/tables/publications.ts';
import { listRanges, readRange, writeErasedRecount } from '../../../src/store/tables/ranges.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { findDue } from '../../../workers/render/automation.ts';
import { checkDrafts } from '../../../workers/render/outdated.ts';
import { preview } from '../../../workers/render/preview.ts';
import { recount } from '../../../workers/render/recount.ts';
import { render } from '../../../workers/render/render.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  branchPush,
  commandRecord,
  epoch,
  eventRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  tagPush,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: '' };
const onTag = {
  pattern: 'v*',
  personas: ['engineer', 'customer'],
  publish: [{ channel: 'hosted', persona: 'customer' }],
} satisfies AutomationRule['onTag'];
const unreleased = { personas: ['engineer'], refreshMinutes: 60 } satisfies AutomationRule['unreleased'];
const pushed = (from: number, to: number) => eventRecord({ event: 'push', push: branchPush(from, to) });
const minuteMs = 60_000;

/** A partition with the records that were folded into it. It carries out effects and acts as a worker does. */
class Story {
  readonly partition: Partition;
  readonly records: JournalRecord[][] = [];
  now = epoch + 10_000;

  constructor(t: TestContext) {
    this.partition = openTestPartition(t);
  }

  async fold(...records: JournalRecord[]): Promise<void> {
    this.records.push(records);
    await foldRecords(this.partition, this.records.length, ...records);
  }

  async set(rule: Partial<AutomationRule>, ifMatch?: string[]): Promise<CommandResult | undefined> {
    const whole = { onTag: null, unreleased: null, ...rule };
    const record = commandRecord({ name: 'putAutomation', repoId, rule: whole, ...(ifMatch && { ifMatch }) });
    await this.fold(record);
    return readResult(this.partition, record.id);
  }

  due(): DueActs {
    return findDue(this.partition, { task: 'automation', repoId, now: this.now }, () => {});
  }

  /** Enqueues acts as a worker does. The id of the record does not change when an act is enqueued again. */
  async act(acts: readonly DueAct[], idOf = derived): Promise<void> {
    for (const act of acts) await this.fold({ ...commandRecord(this.commandOf(act), this.now), id: idOf(act) });
  }

  private commandOf(act: DueAct): Command {
    const { tag, name } = act.run ?? {};
    const of = tag !== undefined && name !== undefined && { act: { repoId, tag, name } };
    const common = { by: 'automation', ...of } as const;
    if (act.make === 'range') {
      const counts = preview(this.partition, { task: 'preview', repoId, bounds: act.bounds });
      const rangeId = `range_00${derived(act)}`;
      return { name: 'createRange', rangeId, repoId, bounds: act.bounds, ...counts, ...common };
    }
    if (act.make === 'draft') {
      const { rangeId, persona, seen } = act;
      const what = { draftId: draftIdOf(rangeId, persona), rangeId, persona, ticket: ulid() };
      return { name: 'generateDraft', ...what, ...(seen && { ifMatch: seen }), ...common };
    }
    const { draftId, revision, what } = act;
    const publication = { publicationId: `pub_${tag}`, draftId, revision, channel: what.channel, asDraft: false };
    return { name: 'publish', ...publication, connection, pagesUrl: null, strict: true, reports: true, ...common };
  }

  /** Carries out the effects of the outbox, except evaluations of the rule. */
  async effects(): Promise<void> {
    for (const { number: row, effect } of listEffects(this.partition, 0, 1000)) {
      if (effect.effect === 'recount') {
        const counts = recount(this.partition, { task: 'recount', repoId });
        await this.fold(resultRecord({ result: 'recounted', repoId, row, checks: true, counts }, this.now));
      } else if (effect.effect === 'outdated') {
        const drafts = checkDrafts(this.partition, { task: 'outdated', repoId }, () => {});
        await this.fold(resultRecord({ result: 'checked', repoId, row, drafts }, this.now));
      } else if (effect.effect === 'render') {
        const { rangeId, persona, ticket, draftId } = effect;
        const rendered = render(this.partition, { task: 'render', rangeId, persona }, () => {});
        await this.fold(resultRecord({ result: 'rendered', draftId, ticket, row, ...rendered }, this.now));
      }
    }
  }

  /** Evaluates the rule and carries out what is due, until nothing is left to do at this time. */
  async settle(): Promise<void> {
    for (let round = 0; round < 30; round++) {
      await this.effects();
      const { acts, refused, ended, waitMs } = this.due();
      await this.act(acts);
      const row = listEffects(this.partition, 0, 1000).find(({ effect }) => effect.effect === 'automate')?.number ?? 0;
      const isQuiet = listEffects(this.partition, 0, 1000).every(({ effect }) => isLook(effect.effect));
      const isDone = isQuiet && waitMs.runs === null && (waitMs.branch ?? minuteMs) >= minuteMs;
      const outcome = { repoId, row, done: isDone, refused, ended, problem: null };
      await this.fold(resultRecord({ result: 'automated', ...outcome }, this.now));
      if (isDone) return;
    }
    assert.fail('the rule never has nothing left to do');
  }

  run(tag: string): AutomationRun | undefined {
    return readRun(this.partition, repoId, tag);
  }
}

/** Whether the story leaves an effect in the outbox while it settles. */
function isLook(effect: string): boolean {
  return effect === 'automate' || effect === 'relay';
}

/** Returns the rows of a partition, without its cursor and the results of its commands. */
function withoutResults(partition: Partition): string[] {
  return dump(partition)
    .split('\n')
    .filter((line) => !/^(meta|results) /.test(line));
}

/** Returns an id that is the same for each attempt of an act of a run. */
function derived({ run }: DueAct): string {
  return run ? derivedUlid(run.startedAt, `${run.tag} ${run.name}`) : ulid();
}

/** Opens a story with v1.0.0 on commit 1, two merged pull requests after it, and a rule. */
async function begun(t: TestContext, rule: Partial<AutomationRule> = { onTag }): Promise<Story> {
  const story = new Story(t);
  await story.fold(pushed(0, 1), tagRecord('v1.0.0', 1), pullRecord(2), pullRecord(3), pushed(1, 2), pushed(2, 3));
  await story.set(rule);
  return story;
}

/** Merges pull request `number` and tags its merge commit. */
function release(tag: string, number: number): JournalRecord[] {
  return [pullRecord(number), pushed(number - 1, number), tagRecord(tag, number)];
}

test('a new tag is drafted and published once', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  await story.settle();
  const run = story.run('v1.1.0');
  assert.deepEqual([run?.status, run?.problem], ['completed', null]);
  const range = readRange(story.partition, run?.rangeId ?? '');
  assert.deepEqual(range?.bounds, { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' });
  for (const persona of onTag.personas)
    assert.equal(readDraft(story.partition, draftIdOf(range?.id ?? '', persona))?.status, 'ready', persona);
  const [publication, ...others] = listPublications(story.partition, repoId);
  assert.deepEqual([publication?.channel, publication?.persona, others.length], ['hosted', 'customer', 0]);
  const shown = [{ channel: 'hosted', persona: 'customer', draft: false, publicationId: publication?.id, error: null }];
  assert.deepEqual(run?.publications, shown);
  assert.deepEqual(readAutomation(story.partition, repoId)?.open, []);
});

test('only tags that match and are newer than the rule start a run', async (t) => {
  const story = await begun(t);
  const late = tagPush('v1.0.1', 2);
  const found = tagPush('v1.2.0', 9);
  const place = { seq: 1, index: 0 };
  await story.fold(
    eventRecord({ event: 'tag', tag: late }),
    tagRecord('nightly', 9),
    backfilledRecord([{ event: 'tag', tag: found }]),
    eventRecord({ event: 'tag', tag: { ...found, name: 'v1.3.0' } }, { replayed: place }),
  );
  assert.deepEqual(newestRuns(story.partition, repoId, 9), []);
  assert.deepEqual(story.due(), { acts: [], refused: [], ended: [], waitMs: { runs: null, branch: null } });
  // A delivery of a tag that a backfill has brought before is not the arrival of the tag.
  await story.fold(eventRecord({ event: 'tag', tag: found }));
  assert.equal(story.run('v1.2.0'), undefined);
});

test('a repository without a rule has no runs and no evaluations', async (t) => {
  const story = new Story(t);
  await story.fold(pushed(0, 1), tagRecord('v1.0.0', 1));
  assert.deepEqual(newestRuns(story.partition, repoId, 9), []);
  assert.ok(listEffects(story.partition, 0, 99).every(({ effect }) => effect.effect !== 'automate'));
});

test('a tag that is delivered before the push of its commit waits for the push', async (t) => {
  const story = await begun(t);
  await story.fold(tagRecord('v1.1.0', 4));
  const early = story.due();
  assert.deepEqual([early.acts, early.ended], [[], []]);
  assert.ok(early.waitMs.runs !== null);
  await story.fold(pullRecord(4), pushed(3, 4));
  assert.deepEqual(
    story.due().acts.map(({ run }) => run?.name),
    ['range'],
  );
  await story.settle();
  assert.deepEqual([story.run('v1.1.0')?.status, listPublications(story.partition, repoId).length], ['completed', 1]);
});

test('a tag whose commit is never pushed is drafted after five minutes', async (t) => {
  const story = await begun(t);
  await story.fold(tagRecord('v1.1.0', 4));
  story.now = epoch + 5 * minuteMs;
  await story.settle();
  assert.equal(story.run('v1.1.0')?.status, 'completed');
});

test('a tag that is deleted and pushed again is drafted once', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  await story.settle();
  const deleted = tagPush('v1.1.0', 5, { deleted: true, sha: null, date: null });
  const again = tagPush('v1.1.0', 4, { pushedAt: epoch + 6000 });
  await story.fold(eventRecord({ event: 'tag', tag: deleted }), eventRecord({ event: 'tag', tag: again }));
  await story.settle();
  assert.deepEqual([listRanges(story.partition, repoId).length, story.run('v1.1.0')?.acts.length], [1, 4]);
  assert.equal(listPublications(story.partition, repoId).length, 1);
});

test('a tag that is deleted before its range exists ends the run after five minutes', async (t) => {
  const story = await begun(t);
  const deleted = tagPush('v1.1.0', 5, { deleted: true, sha: null, date: null });
  await story.fold(...release('v1.1.0', 4), eventRecord({ event: 'tag', tag: deleted }));
  assert.deepEqual(story.due().ended, []);
  story.now = epoch + 5 * minuteMs;
  await story.settle();
  assert.deepEqual([story.run('v1.1.0')?.status, story.run('v1.1.0')?.problem], ['failed', 'The tag was deleted.']);
});

test('a tag that is deleted after its range exists is not published, unless it is pushed again', async (t) => {
  for (const isPushedAgain of [false, true]) {
    const story = await begun(t);
    await story.fold(...release('v1.1.0', 4));
    let late = story.due().acts;
    for (let round = 0; round < 10 && !late.some(({ make }) => make === 'publication'); round++) {
      await story.act(late);
      await story.effects();
      late = story.due().acts;
    }
    assert.ok(
      late.some(({ make }) => make === 'publication'),
      'the drafts are ready',
    );
    const deleted = tagPush('v1.1.0', 5, { deleted: true, sha: null, date: null });
    await story.fold(eventRecord({ event: 'tag', tag: deleted }));
    if (isPushedAgain)
      await story.fold(eventRecord({ event: 'tag', tag: tagPush('v1.1.0', 4, { pushedAt: epoch + 6000 }) }));
    else {
      await story.act(late);
      assert.deepEqual(story.due().acts, []);
      story.now = epoch + 5 * minuteMs;
    }
    await story.settle();
    const published = listPublications(story.partition, repoId).length;
    assert.deepEqual([story.run('v1.1.0')?.status, published], isPushedAgain ? ['completed', 1] : ['failed', 0]);
  }
});

test('a tag without a third number is skipped if a full version is on its commit', async (t) => {
  const story = await begun(t);
  await story.fold(pullRecord(4), pushed(3, 4), tagRecord('v1', 4));
  await story.effects();
  assert.deepEqual(story.due().acts, [], 'it waits for the full version');
  await story.fold(tagRecord('v1.1.0', 4), tagRecord('v1.1', 4));
  await story.settle();
  const statuses = newestRuns(story.partition, repoId, 9).map(({ tag, status }) => [tag, status]);
  assert.deepEqual(statuses.sort(), [
    ['v1', 'skipped'],
    ['v1.1', 'skipped'],
    ['v1.1.0', 'completed'],
  ]);
  await story.fold(pullRecord(5), pushed(4, 5), tagRecord('v2', 5));
  story.now = epoch + minuteMs;
  await story.settle();
  assert.equal(story.run('v2')?.status, 'completed', 'no full version is on its commit');
});

test('a rule ends with the owner who has set it', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  const repository = repositoryFields({ fullName: 'other/rocket', owner: { id: '4242', login: 'other' } });
  const later = { ...tagPush('v1.2.0', 5), pushedAt: epoch + 50_000 };
  await story.fold(eventRecord({ event: 'tag', tag: later }, { repository, signedBy: null }));
  const { rule, open, problem } = readAutomation(story.partition, repoId) ?? {};
  assert.deepEqual([rule, open], [{ onTag: null, unreleased: null }, []]);
  assert.match(problem ?? '', /new owner/);
  assert.deepEqual([story.run('v1.1.0')?.status, story.run('v1.2.0')], ['skipped', undefined]);
});

test('a run that no new rule matches is skipped', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  await story.set({ onTag: { ...onTag, pattern: 'release-*' } });
  await story.settle();
  const run = story.run('v1.1.0');
  assert.deepEqual([run?.status, run?.problem], ['skipped', 'The new rule does not match the tag.']);
  assert.deepEqual(listPublications(story.partition, repoId), []);
});

test('a new tag that the host has reported before its delivery is drafted', async (t) => {
  const story = await begun(t);
  const tag = tagPush('v1.1.0', 3);
  await story.fold(backfilledRecord([{ event: 'tag', tag: { ...tag, pushedAt: epoch + 2000 } }]));
  await story.fold(eventRecord({ event: 'tag', tag: { ...tag, pushedAt: epoch + 900_000 } }));
  await story.settle();
  assert.equal(story.run('v1.1.0')?.status, 'completed');
});

test('a run waits while erased changes are counted', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  await story.effects();
  await story.act(story.due().acts);
  await story.partition.write(() => writeErasedRecount(story.partition, repoId, 999));
  assert.deepEqual(story.due().acts, []);
  await story.partition.write(() => writeErasedRecount(story.partition, repoId, 0));
  await story.settle();
  assert.equal(story.run('v1.1.0')?.status, 'completed');
});

test('the unreleased range is used even if the worker was away for longer than the run waits', async (t) => {
  const story = await begun(t, { onTag, unreleased });
  await story.settle();
  const [range] = listRanges(story.partition, repoId);
  await story.fold(...release('v1.1.0', 4));
  story.now = epoch + 6 * minuteMs;
  assert.deepEqual(
    story.due().acts.filter(({ run }) => run !== null),
    [],
    'the recount comes first',
  );
  await story.settle();
  assert.deepEqual([story.run('v1.1.0')?.status, story.run('v1.1.0')?.rangeId], ['completed', range?.id]);
});

test('a tag that is older than the rule is skipped when it is moved, or deleted and pushed again', async (t) => {
  const story = await begun(t);
  const deleted = tagPush('v1.0.0', 5, { deleted: true, sha: null, date: null });
  await story.fold(eventRecord({ event: 'tag', tag: deleted }), tagRecord('v1.0.0', 6));
  assert.equal(story.run('v1.0.0')?.status, 'skipped');
  assert.deepEqual(story.due().acts, []);
});

test('an act that is enqueued several times is folded once, also under another id', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  await story.effects();
  const range = story.due().acts;
  await story.act(range);
  await story.act(range);
  await story.act(range, () => ulid());
  assert.equal(listRanges(story.partition, repoId).length, 1);
  const drafts = story.due().acts;
  assert.deepEqual(
    drafts.map(({ run }) => run?.name),
    ['draft engineer 1', 'draft customer 1'],
  );
  await story.act(drafts);
  await story.effects();
  const before = withoutResults(story.partition);
  await story.act(drafts, () => ulid());
  await story.act(range, () => ulid());
  assert.deepEqual(withoutResults(story.partition), before);
});

test('the unreleased range that reaches the tag is used, with the edits of a person', async (t) => {
  const story = await begun(t, { onTag, unreleased });
  await story.settle();
  const [range] = listRanges(story.partition, repoId);
  const id = draftIdOf(range?.id ?? '', 'engineer');
  const bodyMd = readDraft(story.partition, id)?.bodyMd.replace('Change 2', 'In words of a person') ?? '';
  await story.fold(commandRecord({ name: 'updateDraft', draftId: id, bodyMd }));
  await story.fold(...release('v1.1.0', 4));
  assert.deepEqual(
    story.due().acts.filter(({ run }) => run !== null),
    [],
    'the recount comes first',
  );
  await story.settle();
  assert.deepEqual([story.run('v1.1.0')?.status, story.run('v1.1.0')?.rangeId], ['completed', range?.id]);
  assert.match(readDraft(story.partition, id)?.bodyMd ?? '', /In words of a person/);
  const [next, ...others] = listRanges(story.partition, repoId).filter(({ id }) => id !== range?.id);
  assert.deepEqual([next?.bounds.type, others.length], ['UNRELEASED', 0], 'the next release has a range of its own');
});

test('no second range is created if an unreleased range reaches the tag after the evaluation', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  const early = story.due().acts;
  const bounds = { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' } as const;
  const rangeId = 'range_00000000000000000000000000aa';
  const open = { fromTag: 'v1.0.0', branch: 'main', head: null, begunAt: epoch };
  const counts = { prCount: 0, issueCount: 0, resolution: 'commits' } as const;
  const range = { rangeId, repoId, bounds: { type: 'UNRELEASED' }, openEnds: open, ...counts } as const;
  await story.fold(commandRecord({ name: 'createRange', ...range }));
  const reached = { rangeId, ...counts, becomes: bounds };
  await story.fold(resultRecord({ result: 'recounted', repoId, row: 0, counts: [reached] }));
  await story.act(early);
  assert.deepEqual([listRanges(story.partition, repoId).length, story.run('v1.1.0')?.rangeId], [1, rangeId]);
});

test('a draft that late events outdate is generated again before it is published', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  await story.effects();
  await story.act(story.due().acts);
  await story.act(story.due().acts);
  await story.effects();
  await story.fold(eventRecord(renamed()));
  assert.deepEqual(story.due().acts, [], 'a recount is due');
  await story.effects();
  await story.effects();
  const again = story.due().acts.map(({ run }) => run?.name);
  assert.ok(again.includes('draft engineer 2'), again.join());
  await story.settle();
  assert.equal(story.run('v1.1.0')?.status, 'completed');
  const { rangeId } = story.run('v1.1.0') ?? {};
  assert.match(readDraft(story.partition, draftIdOf(rangeId ?? '', 'engineer'))?.bodyMd ?? '', /Another title/);
});

/** Returns the event that gives a pull request of the range another title. */
function renamed(): EventBody {
  const pull = pullSnapshot(3, { title: 'Another title', updatedAt: epoch + 9000 });
  return { event: 'pull_request', action: 'edited', pull };
}

test('a publication that is refused ends the run as failed and says why', async (t) => {
  const story = await begun(t);
  await story.fold(...release('v1.1.0', 4));
  await story.fold(
    resultRecord({
      ...{ result: 'automated', repoId, row: 0, done: false, ended: [], problem: null },
      refused: [
        {
          tag: 'v1.1.0',
          name: 'publish hosted customer',
          channel: 'hosted',
          persona: 'customer',
          draft: false,
          error: 'No.',
        },
      ],
    }),
  );
  await story.settle();
  const { status, publications } = story.run('v1.1.0') ?? {};
  assert.equal(status, 'failed');
  assert.deepEqual(publications, [
    { channel: 'hosted', persona: 'customer', draft: false, publicationId: null, error: 'No.' },
  ]);
  assert.deepEqual(listPublications(story.partition, repoId), []);
});

test('a draft with a conflict is not published', async (t) => {
  const story = await begun(t, { onTag: { ...onTag, personas: ['customer'] } });
  await story.fold(...release('v1.1.0', 4));
  await story.effects();
  await story.act(story.due().acts);
  await story.act(story.due().acts);
  await story.effects();
  const { rangeId } = story.run('v1.1.0') ?? {};
  const bodyMd = '## New\n\n- Mine\n  <!-- rn:gone pr:2 reverted by #9 -->\n';
  await story.fold(commandRecord({ name: 'updateDraft', draftId: draftIdOf(rangeId ?? '', 'customer'), bodyMd }));
  await story.settle();
  const { status, publications } = story.run('v1.1.0') ?? {};
  assert.equal(status, 'failed');
  assert.match(publications?.[0]?.error ?? '', /conflict/);
});

test('a render that failed is reported and not published', async (t) => {
  const story = await begun(t, { onTag: { ...onTag, personas: ['customer'] } });
  await story.fold(...release('v1.1.0', 4));
  await story.effects();
  await story.act(story.due().acts);
  await story.act(story.due().acts);
  const { number: row = 0, effect } =
    listEffects(story.partition, 0, 99).find((each) => each.effect.effect === 'render') ?? {};
  assert.ok(effect?.effect === 'render');
  const { draftId, ticket } = effect;
  await story.fold(resultRecord({ result: 'renderFailed', draftId, ticket, row, error: 'Too long.' }));
  await story.settle();
  const { status, problem, publications } = story.run('v1.1.0') ?? {};
  assert.deepEqual([status, problem], ['failed', 'The draft for customer readers is not ready. Too long.']);
  assert.deepEqual([publications?.length, publications?.[0]?.publicationId], [1, null]);
});

test('outdated drafts before the tag are generated again, at most once per interval', async (t) => {
  const story = await begun(t, { unreleased });
  await story.settle();
  const [range] = listRanges(story.partition, repoId);
  const draft = () => readDraft(story.partition, draftIdOf(range?.id ?? '', 'engineer'));
  assert.deepEqual([range?.bounds, draft()?.status], [{ type: 'UNRELEASED' }, 'ready']);
  await story.fold(pullRecord(4), pushed(3, 4));
  await story.settle();
  assert.doesNotMatch(draft()?.bodyMd ?? '', /Change 4/);
  assert.ok(draft()?.outdatedBecause);
  story.now += unreleased.refreshMinutes * minuteMs;
  await story.settle();
  assert.match(draft()?.bodyMd ?? '', /Change 4/);
  assert.equal(draft()?.outdatedBecause, undefined);
  assert.deepEqual(story.due().acts, []);
});

test('a draft that has changed since the evaluation is not generated again', async (t) => {
  const story = await begun(t, { unreleased });
  await story.settle();
  await story.fold(pullRecord(4), pushed(3, 4));
  await story.effects();
  await story.effects();
  story.now += unreleased.refreshMinutes * minuteMs;
  const stale = story.due().acts;
  assert.equal(stale.length, 1);
  await story.act(stale);
  await story.effects();
  await story.act(stale, () => ulid());
  const [range] = listRanges(story.partition, repoId);
  assert.equal(readDraft(story.partition, draftIdOf(range?.id ?? '', 'engineer'))?.status, 'ready');
});

test('a rule that is switched off ends the runs under way, and keeps the rule only for its state', async (t) => {
  const story = await begun(t);
  await story.fold(tagRecord('v1.1.0', 4));
  const digest = automationDigest(story.partition, repoId);
  const refused = await story.set({}, ['other']);
  assert.equal(refused?.ok === false && refused.kind, 'preconditionFailed');
  assert.equal((await story.set({}, [digest]))?.ok, true);
  assert.deepEqual(
    [story.run('v1.1.0')?.status, story.run('v1.1.0')?.problem],
    ['skipped', 'The rule for tags was switched off.'],
  );
  await story.fold(pullRecord(4), pushed(3, 4), tagRecord('v1.2.0', 5));
  assert.deepEqual([story.due().acts, story.run('v1.2.0')], [[], undefined]);
});

test('tags that were pushed before a rule was changed start no run', async (t) => {
  const story = await begun(t, { unreleased });
  await story.fold(...release('v1.1.0', 4));
  await story.set({ onTag });
  await story.fold(tagRecord('v1.0.9', 3));
  assert.deepEqual(newestRuns(story.partition, repoId, 9), []);
  await story.fold(...release('v1.2.0', 5));
  assert.equal(story.run('v1.2.0')?.status, 'running');
});

test('a replay gives the same bytes', async (t) => {
  const story = await begun(t, { onTag, unreleased });
  await story.settle();
  await story.fold(...release('v1.1.0', 4));
  await story.settle();
  const copy = openTestPartition(t);
  for (const [index, records] of story.records.entries()) await foldRecords(copy, index + 1, ...records);
  assert.equal(dump(copy), dump(story.partition));
});
