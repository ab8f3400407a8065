/**
 * Generates journal records that obey two rules of a host: a pull request has one merge time and one merge commit, and
 * copies of a push have the same content. Apart from these rules, records may be in any order, repeated, missing or
 * broken. Their times are so close together that several records have the same time.
 */
import fc from 'fast-check';
import { dayMs, dayOf } from '../../src/foundation/days.ts';
import { draftId } from '../../src/foundation/ids.ts';
import type { BackfilledBody, EventBody } from '../../src/protocol/events.ts';
import type { JournalRecord, RelayRecord } from '../../src/protocol/journal.ts';
import { defaultSettings } from '../../src/protocol/notes.ts';

import {
  backfilledRecord,
  backfillProgress,
  branchPush,
  commandRecord,
  epoch,
  eventRecord,
  issueSnapshot,
  poisonRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  shaNumber,
  sweepRecord,
  tagPush,
  tickRecord,
} from './partition-records.ts';

const second = fc.integer({ min: 0, max: 6 });
const number = fc.integer({ min: 1, max: 3 });
const labels = fc.option(fc.subarray(['bug', 'feature', 'docs']), { nil: undefined, freq: 4 });
const text = fc.constantFrom('', 'Fix it', 'fixes #1', 'closes #2, ünïcode');

/**
 * A snapshot of one of three pull requests. A pull request with an odd number is merged and is not reopened after its
 * merge. A pull request with an even number is closed and reopened.
 */
const pullBody: fc.Arbitrary<EventBody> = fc
  .record({
    action: fc.constantFrom('opened', 'edited', 'labeled', 'unlabeled', 'reopened', 'closed', 'synchronize'),
    number,
    second,
    labels,
    title: text,
    body: text,
    knowsSha: fc.boolean(),
    firstTime: fc.option(fc.boolean(), { nil: undefined }),
    headSha: fc.constantFrom(undefined, 'a'.repeat(40), 'b'.repeat(40)),
  })
  .map(({ action, number, second, labels, title, body, knowsSha, firstTime, headSha }) => {
    const ended = action === 'closed' || second >= 5;
    const merged = ended && number % 2 === 1;
    const state = merged ? 'merged' : ended ? 'closed' : 'open';
    const mergedAt = epoch + 5000;
    const pull = pullSnapshot(number, {
      title,
      body,
      state,
      updatedAt: epoch + second * 1000,
      closedAt: merged ? mergedAt : ended ? epoch + second * 1000 : null,
      mergedAt: merged ? mergedAt : null,
      mergeSha: merged && knowsSha ? shaNumber(number) : null,
      ...(firstTime !== undefined && { firstTime }),
      ...(headSha !== undefined && { headSha }),
    });
    return { event: 'pull_request', action, pull: withLabels(pull, labels) };
  });

/** A snapshot of one of three issues. Some snapshots omit the labels, the state or the reactions, as hosts do. */
const issueBody: fc.Arbitrary<EventBody> = fc
  .record({
    action: fc.constantFrom('opened', 'edited', 'labeled', 'unlabeled', 'reopened', 'closed', 'pinned'),
    number,
    second,
    labels,
    title: text,
    state: fc.constantFrom('open' as const, 'closed' as const, undefined),
    knowsClose: fc.boolean(),
    reactions: fc.option(fc.constantFrom(0, 9, 10), { nil: undefined }),
  })
  .map(({ action, number, second, labels, title, state, knowsClose, reactions }) => {
    const at = epoch + second * 1000;
    const { state: _, ...issue } = issueSnapshot(number, {
      title,
      updatedAt: at,
      closedAt: state === 'closed' && knowsClose ? at : null,
      stateReason: state === 'closed' ? 'completed' : null,
      ...(reactions !== undefined && { reactions }),
    });
    return { event: 'issues', action, issue: withLabels({ ...issue, ...(state && { state }) }, labels) };
  });

const pushBody: fc.Arbitrary<EventBody> = fc
  .record({
    from: fc.integer({ min: 0, max: 4 }),
    length: fc.integer({ min: 1, max: 3 }),
    branch: fc.constantFrom('main', 'v1'),
  })
  .map(({ from, length, branch }) => ({
    event: 'push',
    // Each push starts at a multiple of its length, so two pushes with the same branch and head always have the same
    // content. Some pushes have a gap: the commits just before them are missing.
    push: branchPush(from - (from % length), from - (from % length) + length, {
      branch: `${branch}-${length}`,
      gap: (from - (from % length)) % 4 === 3,
    }),
  }));

const tagBody: fc.Arbitrary<EventBody> = fc
  .record({ name: fc.constantFrom('v1', 'v1/rc', 'ü'), number: second, second, deleted: fc.boolean() })
  .map(({ name, number, second, deleted }) => ({
    event: 'tag',
    tag: tagPush(name, number, { pushedAt: epoch + second * 1000, deleted, ...(deleted && { sha: null, date: null }) }),
  }));

/** Generates the body of an event of any captured kind. */
export const anyBody = fc.oneof(pullBody, issueBody, pushBody, tagBody);

/**
 * The commits of all pushes, in the form in which the host lists commits. Each commit is the child of the previous one.
 */
export const listedCommits: BackfilledBody = {
  event: 'commits',
  commits: branchPush(0, 8).commits.map((commit, i) => ({ ...commit, parents: [shaNumber(i)] })),
};

const stepsBody: fc.Arbitrary<BackfilledBody> = fc
  .record({ from: fc.integer({ min: 0, max: 4 }), length: fc.integer({ min: 1, max: 3 }), gap: fc.boolean() })
  .map(({ from, length, gap }) => ({
    event: 'steps',
    branch: `main-${length}`,
    // Two steps with the same first and last commit always list the same commits, as in a commit graph.
    steps: Array.from({ length }, (_, i) => from + i + 1).map((number) => ({
      before: shaNumber(number - 1),
      after: shaNumber(number),
      shas: [shaNumber(number)],
      gap: gap && number % 5 === 0,
      at: epoch + number * 1000,
    })),
  }));

/** A comparison of two of the pushed commits. The same two commits always give the same content. */
const comparisonBody: fc.Arbitrary<BackfilledBody> = fc
  .record({ from: fc.integer({ min: 0, max: 4 }), to: fc.integer({ min: 0, max: 4 }) })
  .map(({ from, to }) => ({
    event: 'comparison',
    comparison: {
      from: shaNumber(from),
      to: shaNumber(to),
      ancestry: from < to ? 'ahead' : 'behind',
      groups: Array.from({ length: Math.max(0, to - from) }, (_, i) => [shaNumber(from + i + 1)]),
    },
  }));

/** The reactions to one of three pull requests. The same pull request always has the same number of reactions. */
const reactionsBody: fc.Arbitrary<BackfilledBody> = number.map((number) => ({
  event: 'pull_reactions',
  number,
  reactions: number - 1,
}));

/**
 * Data that is read from a host: objects of the same kinds as in events, lists of commits, steps of branches,
 * comparisons of commits, and reactions to pull requests.
 */
export const anyBackfilledBody: fc.Arbitrary<BackfilledBody> = fc.oneof(
  anyBody.map((body) => ('action' in body ? { ...body, action: 'backfilled' } : body)),
  fc.constant(listedCommits),
  stepsBody,
  comparisonBody,
  reactionsBody,
);

const delivery = fc.integer({ min: 0, max: 40 }).map((nth) => `delivery-${nth}`);
const at = fc.integer({ min: 0, max: 30_000 }).map((ms) => epoch + ms);
const repository = fc
  .record({ nth: fc.integer({ min: 0, max: 1 }), fullName: fc.constantFrom('acme/rocket', 'acme/moon') })
  .map(({ nth, fullName }) => repositoryFields({ fullName }, nth));

const anyEvent = fc
  .record({ body: anyBody, delivery, at, repository, due: fc.option(at, { nil: undefined, freq: 3 }) })
  .map(({ body, due, ...fields }) => eventRecord(body, { ...fields, ...(due !== undefined && { due }) }));

const backfills = ['bf_1', 'bf_2'] as const;

/**
 * A page of a backfill or of a tag sync. A page of a backfill contains the backfill's progress. This progress can
 * report the end of the backfill. Some pages are late, and some belong to a backfill that never existed.
 */
const anyPage = fc
  .record({
    body: anyBackfilledBody,
    at,
    repository,
    job: fc.constantFrom(...backfills, null),
    step: fc.integer({ min: 1, max: 5 }),
    state: fc.constantFrom('running' as const, 'waiting' as const, 'completed' as const, 'failed' as const),
  })
  .map(({ body, job, step, state, ...fields }) =>
    backfilledRecord([body], { ...fields, job, ...(job !== null && { progress: backfillProgress(step, { state }) }) }),
  );

const anyBackfillCommand = fc
  .record({ at, repository, backfillId: fc.constantFrom(...backfills), cancels: fc.boolean() })
  .map(({ at, repository, backfillId, cancels }) =>
    cancels
      ? commandRecord({ name: 'cancelBackfill', repoId: repository.id, reports: true }, at)
      : commandRecord({ name: 'startBackfill', backfillId, repository, since: null, installationId: null }, at),
  );

const ranges = ['range_0000000000000000000000000001', 'range_0000000000000000000000000002'];
const anyRange = fc.constantFrom(...ranges);
const ticket = fc.constantFrom('ticket-1', 'ticket-2');
const row = fc.integer({ min: 1, max: 30 });

const anyCommand = fc.oneof(
  fc.record({ rangeId: anyRange, at }).map(({ rangeId, at }) =>
    commandRecord(
      {
        name: 'createRange',
        rangeId,
        repoId: repositoryFields().id,
        bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 3 },
        prCount: 0,
        issueCount: 0,
        resolution: 'window',
      },
      at,
    ),
  ),
  fc
    .record({ rangeId: anyRange, at, ticket })
    .map(({ rangeId, at, ticket }) =>
      commandRecord(
        { name: 'generateDraft', rangeId, draftId: draftId(rangeId, 'engineer'), persona: 'engineer', ticket },
        at,
      ),
    ),
  fc
    .record({ rangeId: anyRange, at, bodyMd: text })
    .map(({ rangeId, at, bodyMd }) =>
      commandRecord({ name: 'updateDraft', draftId: draftId(rangeId, 'engineer'), bodyMd }, at),
    ),
  fc.record({ at, bullets: fc.integer({ min: 1, max: 3 }) }).map(({ at, bullets }) => {
    const noteCheck = { ...defaultSettings.noteCheck, mode: bullets === 1 ? ('off' as const) : ('inform' as const) };
    const settings = { ...defaultSettings, noteCheck, customer: { ...defaultSettings.customer, bullets } };
    return commandRecord({ name: 'putSettings', repoId: repositoryFields().id, settings }, at);
  }),
  fc
    .record({ rangeId: anyRange, at, revision: fc.integer({ min: 1, max: 4 }) })
    .map(({ rangeId, at, revision }) =>
      commandRecord({ name: 'restoreDraft', draftId: draftId(rangeId, 'engineer'), revision, by: 'key_1' }, at),
    ),
);

const anyResult = fc
  .record({ rangeId: anyRange, at, ticket, row, bodyMd: text, fails: fc.boolean() })
  .map(({ rangeId, at, ticket, row, bodyMd, fails }) => {
    const which = { draftId: draftId(rangeId, 'engineer'), ticket, row };
    const flags = { highlights: [], contributors: ['ada'], upgradeInstructions: '' };
    return fails
      ? resultRecord({ result: 'renderFailed', ...which, error: 'too long' }, at)
      : resultRecord({ result: 'rendered', ...which, inputSeq: 0, bodyMd, flags }, at);
  });

const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: '' };
const publicationId = fc.constantFrom('pub_1', 'pub_2', 'pub_3');

/**
 * Commands on publications, and results of their attempts. They may be in order, late or repeated, and may name
 * publications that never existed.
 */
const anyPublishing = fc.oneof(
  fc
    .record({ rangeId: anyRange, at, publicationId, channel: fc.constantFrom('hosted' as const, 'email' as const) })
    .map(({ rangeId, at, publicationId, channel }) =>
      commandRecord(
        {
          ...{ name: 'publish', publicationId, draftId: draftId(rangeId, 'engineer'), revision: 1, channel },
          ...{ asDraft: false, connection, pagesUrl: null, reports: true },
        },
        at,
      ),
    ),
  fc
    .record({ at, publicationId, deletes: fc.boolean() })
    .map(({ at, publicationId, deletes }) =>
      deletes
        ? commandRecord({ name: 'deletePublication', publicationId }, at)
        : commandRecord({ name: 'resendPublication', publicationId, connection, pagesUrl: null }, at),
    ),
  fc
    .record({ at, publicationId, attempt: fc.integer({ min: 1, max: 3 }), by: fc.constantFrom('life-1', 'life-2') })
    .map(({ at, ...attempt }) => resultRecord({ result: 'publicationSending', ...attempt }, at)),
  fc
    .record({ at, publicationId, attempt: fc.integer({ min: 0, max: 3 }), ends: fc.constantFrom(0, 1, 2) })
    .map(({ at, ends, ...attempt }) =>
      ends === 0
        ? resultRecord({ result: 'published', ...attempt, url: null, reference: 'ref', counts: {} }, at)
        : resultRecord(
            {
              ...{ result: 'publishFailed', ...attempt, error: 'no', unknown: ends === 2, reports: true },
              retryAt: ends === 1 ? at + 5000 : null,
            },
            at,
          ),
    ),
);

const tag = fc.constantFrom('v1', 'v1/rc', 'ü');
const act = fc.constantFrom('range', 'draft engineer 1', 'publish hosted engineer');

/**
 * Rules, acts of their runs, and outcomes of evaluations. They may be in order, late or repeated, and may name tags
 * that never started a run.
 */
const anyAutomation = fc.oneof(
  fc.record({ at, on: fc.boolean(), repository }).map(({ at, on, repository: { id: repoId } }) => {
    const onTag = { pattern: 'v*', personas: ['engineer' as const], publish: [] };
    return commandRecord({ name: 'putAutomation', repoId, rule: { onTag: on ? onTag : null, unreleased: null } }, at);
  }),
  fc.record({ at, tag, act, rangeId: anyRange }).map(({ at, tag, act: name, rangeId }) =>
    commandRecord(
      {
        ...{ name: 'generateDraft', rangeId, draftId: draftId(rangeId, 'engineer'), persona: 'engineer', ticket: name },
        ...{ by: 'automation', act: { repoId: repositoryFields().id, tag, name } },
      },
      at,
    ),
  ),
  fc.record({ at, tag, act, row, done: fc.boolean() }).map(({ at, tag, act: name, row, done }) =>
    resultRecord(
      {
        ...{ result: 'automated', repoId: repositoryFields().id, row, done, problem: done ? null : 'no' },
        refused: [{ tag, name, channel: 'hosted', persona: 'engineer', draft: false, error: 'no' }],
        ended: done ? [{ tag, problem: null }] : [],
      },
      at,
    ),
  ),
);

/**
 * Time from the oldest events to `epoch`, in milliseconds. The next three generators make records about retention.
 * `anyOldEvent` makes old events that a sweep can remove. `anySweep` makes sweeps and ticks. `anyEnd` makes the erasure
 * of a repository.
 */
const long = 400 * dayMs;
const anyOldEvent = fc
  .record({ body: anyBody, delivery, days: fc.integer({ min: 0, max: 60 }) })
  .map(({ body, delivery, days }) => eventRecord(body, { delivery, at: epoch - long + days * dayMs }));
const anySweep = fc.oneof(
  fc
    .record({ at, notesLosses: fc.option(fc.constant(true as const), { nil: undefined }) })
    .map(({ at, notesLosses }) =>
      sweepRecord({ sweep: 'records', before: dayOf(at) - 365, ...(notesLosses && { notesLosses }) }, at),
    ),
  at.map((at) => sweepRecord({ sweep: 'more' }, at)),
  fc.record({ at, days: fc.integer({ min: 0, max: 3 }) }).map(({ at, days }) => tickRecord(at + days * dayMs)),
);
const anyEnd = row.map(
  (row): RelayRecord => ({
    id: `end-${row}`,
    at: epoch,
    kind: 'relay',
    source: 'directory',
    row,
    body: { relay: 'repositoryErased', repoId: repositoryFields().id },
  }),
);

/** Any record of a repository's partition, including broken records. */
export const anyRecord: fc.Arbitrary<JournalRecord> = fc.oneof(
  { weight: 12, arbitrary: anyEvent },
  { weight: 3, arbitrary: anyCommand },
  { weight: 2, arbitrary: anyBackfillCommand },
  { weight: 4, arbitrary: anyPage },
  { weight: 2, arbitrary: anyResult },
  { weight: 3, arbitrary: anyPublishing },
  { weight: 2, arbitrary: anyAutomation },
  { weight: 1, arbitrary: at.map(tickRecord) },
  { weight: 3, arbitrary: anyOldEvent },
  { weight: 2, arbitrary: anySweep },
  { weight: 1, arbitrary: anyEnd },
  { weight: 1, arbitrary: fc.record({ delivery, at }).map(poisonRecord) },
  { weight: 1, arbitrary: row.map((row) => resultRecord({ result: 'relayed', target: 'directory', row })) },
);

/** Journal messages, each with one or more records, as group commit writes them. */
export const anyJournal = fc.array(fc.array(anyRecord, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 30,
});

function withLabels<T extends { labels?: string[] }>(snapshot: T, labels: string[] | undefined): T {
  const { labels: _, ...rest } = snapshot;
  return (labels === undefined ? rest : { ...rest, labels }) as T;
}
