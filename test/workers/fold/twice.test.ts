/**
 * Tests that a record of any kind may be in the journal twice. A lane sends a batch again under a new message id if its
 * outcome is unknown (`docs/architecture.md` decision 45), so the journal can contain the same record a second time.
 * Folding the record again changes nothing, apart from the differences that a case names.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { dayMs, dayOf } from '../../../src/foundation/days.ts';
import { digestOf } from '../../../src/foundation/etag.ts';
import { draftId as draftIdOf, ulid } from '../../../src/foundation/ids.ts';
import { unreachable } from '../../../src/foundation/unreachable.ts';
import type { BackfilledBody, EventBody, InstallationBody } from '../../../src/protocol/events.ts';
import type { BackfilledRecord, JournalRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import { defaultSettings } from '../../../src/protocol/notes.ts';
import type { RelayBody } from '../../../src/protocol/relays.ts';
import type { ResultBody } from '../../../src/protocol/results.ts';
import type { RetentionStatus, SweepBody } from '../../../src/protocol/retention.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { organizationByLogin } from '../../../src/store/tables/directory.ts';
import { readDraft } from '../../../src/store/tables/drafts.ts';
import { listWaitingChecks } from '../../../src/store/tables/note-checks.ts';
import { type Effect, listEffects } from '../../../src/store/tables/outbox.ts';
import { dueOrganizations, retentionStatus } from '../../../src/store/tables/retention.ts';
import { listWebhookDeliveries } from '../../../src/store/tables/webhook-deliveries.ts';
import { foldVersion } from '../../../workers/fold/lead.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  approvalRecord,
  backfilledRecord,
  backfillProgress,
  branchPush,
  claimRecord,
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  foldVersionRecord,
  issueSnapshot,
  keyFields,
  poisonRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  shaNumber,
  sweepRecord,
  tagPush,
  tagRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';

/** A kind of record. Kinds with several contents are listed once for each content. */
type Kind =
  | Exclude<JournalRecord['kind'], 'event' | 'backfilled' | 'result' | 'relay' | 'sweep'>
  | `event ${EventBody['event']}`
  | `backfilled ${BackfilledBody['event']}`
  | `result ${ResultBody['result']}`
  | `relay ${RelayBody['relay']}`
  | `sweep ${SweepBody['sweep']}`;

/** A record, or what makes it from the state of the partition that it is folded into. */
type Made = JournalRecord | ((partition: Partition) => JournalRecord);

interface Case {
  /** What is special about the record; absent for an ordinary one. */
  what?: string;
  /** Records that are folded before, each as a message of its own. */
  given: readonly Made[];
  record: Made;
  /** Records that are folded afterwards, in both partitions. */
  after?: readonly Made[];
  /**
   * The tables that differ if the record is folded twice, and why this is harmless. Each table has differences, and no
   * other table has any. The cursor and the digest of the messages may always differ.
   */
  differs?: { tables: readonly string[]; isHarmless: (once: Partition, twice: Partition) => void };
  partition?: 'directory';
}

const repository = repositoryFields();
const { id: repoId, origin } = repository;
const rangeId = 'range_00000000000000000000000000aa';
const openRangeId = 'range_00000000000000000000000000bb';
const draftId = draftIdOf(rangeId, 'engineer');
const flags = { highlights: [], contributors: ['ada'], upgradeInstructions: '' };
const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: 'here' };
const headSha = 'a'.repeat(40);
const openPull = { state: 'open', closedAt: null, mergedAt: null, mergeSha: null, headSha } as const;
const later = epoch + 400 * dayMs;

/** Returns the number of the outbox row of an effect; 0 if there is none. */
function rowOf(partition: Partition, kind: Effect['effect']): number {
  return listEffects(partition, 0, 1000).find(({ effect }) => effect.effect === kind)?.number ?? 0;
}

function result(body: ResultBody | ((partition: Partition) => ResultBody), at = epoch + 9000): Made {
  return typeof body === 'function' ? (partition) => resultRecord(body(partition), at) : resultRecord(body, at);
}

let relayRow = 0;

function relay(body: RelayBody, source = 'p00'): RelayRecord {
  relayRow += 1;
  return { id: `relay-${relayRow}`, at: epoch, kind: 'relay', source, row: relayRow, body };
}

/**
 * The outbox holds the same effects under other numbers: an effect was requested again while it waited. It is carried
 * out once.
 */
const numbersOfOutbox = {
  tables: ['meta outbox', 'outbox', 'outboxKeys'],
  isHarmless: (once: Partition, twice: Partition) => assert.deepEqual(effectsOf(twice), effectsOf(once)),
};

function effectsOf(partition: Partition): Effect[] {
  return listEffects(partition, 0, 1000).map(({ effect }) => effect);
}

/**
 * A repository with a range, an unreleased range, a draft that is ready, a rule that follows both, and checks of pull
 * requests.
 */
const stage: readonly Made[] = [
  pullRecord(1),
  commandRecord({
    name: 'putSettings',
    repoId,
    settings: { ...defaultSettings, noteCheck: { ...defaultSettings.noteCheck, mode: 'require' } },
  }),
  commandRecord({
    name: 'createRange',
    ...{ rangeId, repoId, bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } },
    ...{ prCount: 1, issueCount: 0, resolution: 'window' },
  }),
  commandRecord({
    name: 'createRange',
    ...{ rangeId: openRangeId, repoId, bounds: { type: 'UNRELEASED' } },
    ...{ prCount: 1, issueCount: 0, resolution: 'window' },
  }),
  commandRecord({
    name: 'putAutomation',
    repoId,
    rule: {
      onTag: { pattern: 'v*', personas: ['engineer'], publish: [] },
      unreleased: { personas: ['engineer'], refreshMinutes: 60 },
    },
  }),
  commandRecord({ name: 'generateDraft', draftId, rangeId, persona: 'engineer', ticket: 't' }),
];
const rendered = result((partition) => ({
  result: 'rendered',
  ...{ draftId, ticket: 't', row: rowOf(partition, 'render'), inputSeq: 1, bodyMd: 'One.\n', flags },
  ...{ absent: [], facts: { marks: { 'pr:1': 'aaaabbbbcccc' }, settings: 'dddd', ends: [null, null] } },
}));
const ready: readonly Made[] = [...stage, rendered];

const bodies: { [Name in BackfilledBody['event']]: Extract<BackfilledBody, { event: Name }> } = {
  pull_request: { event: 'pull_request', action: 'opened', pull: pullSnapshot(2, openPull) },
  issues: { event: 'issues', action: 'closed', issue: issueSnapshot(3) },
  issue_removed: { event: 'issue_removed', number: 1, seenAt: epoch + 5000 },
  push: { event: 'push', push: branchPush(0, 3) },
  tag: { event: 'tag', tag: tagPush('v1.0.0', 2, { pushedAt: epoch + 60_000 }) },
  comment: {
    event: 'comment',
    action: 'created',
    comment: {
      ...{ kind: 'discussion', id: 'c1', number: 1, author: { login: 'ada', bot: false }, body: '/note Say so.' },
      ...{ state: null, createdAt: epoch, updatedAt: epoch, association: 'OWNER' },
    },
    checks: true,
  },
  repository: { event: 'repository', action: 'renamed', formerName: 'acme/former', seenAt: epoch + 5000 },
  label: { event: 'label', id: '1', from: 'bug', to: 'fix', seenAt: epoch + 5000, checks: true },
  commits: {
    event: 'commits',
    commits: branchPush(0, 3).commits.map((commit, i) => ({ ...commit, parents: [shaNumber(i)] })),
  },
  steps: {
    event: 'steps',
    branch: 'main',
    steps: [{ before: shaNumber(1), after: shaNumber(2), shas: [shaNumber(2)], gap: false, at: epoch + 2000 }],
  },
  comparison: {
    event: 'comparison',
    comparison: { from: shaNumber(1), to: shaNumber(2), ancestry: 'ahead', groups: [[shaNumber(2)]] },
  },
  pull_reactions: { event: 'pull_reactions', number: 7, reactions: 3 },
};

function event(body: EventBody): Case[] {
  const fields = { repository: repositoryFields({ fullName: 'acme/renamed' }), at: epoch + 9000 };
  const delayed = eventRecord(body, { ...fields, due: epoch + 60_000 });
  return [
    { given: ready, record: eventRecord(body, fields) },
    { what: 'for an unknown repository', given: [], record: eventRecord(body, fields) },
    { what: 'that waits', given: ready, record: delayed },
    { what: 'that is released later', given: ready, record: delayed, after: [tickRecord(epoch + 61_000)] },
  ];
}

const reports = true as const;
const started = commandRecord({
  name: 'startBackfill',
  backfillId: 'bf_1',
  repository,
  since: null,
  installationId: null,
});

/** A page is not recognized as a duplicate. Its content is merged again, and gives the same rows. */
function page(body: BackfilledBody, differs?: Case['differs']): Case[] {
  const given = [...ready, started];
  const usual = { at: epoch + 9000, seenAt: epoch + 8000 };
  const of = (fields: Partial<BackfilledRecord>) => backfilledRecord([body], { ...usual, ...fields });
  const ended = backfillProgress(1, { state: 'completed' });
  const same = differs && { differs };
  return [
    { what: 'of a tag sync', given: ready, record: of({ tagSync: { at: epoch, etag: '"e"' } }), ...same },
    { what: 'of a part of a page', given, record: of({ job: 'bf_1' }), ...same },
    { what: 'with progress', given, record: of({ job: 'bf_1', progress: backfillProgress(1) }), ...same },
    // The backfill has ended, so the second page belongs to none.
    { what: 'at the end', given, record: of({ job: 'bf_1', progress: ended, reports, confirmed: true }) },
  ];
}

const publish = commandRecord({
  name: 'publish',
  ...{
    publicationId: 'pub_1',
    draftId,
    revision: 1,
    channel: 'hosted',
    asDraft: false,
    connection,
    pagesUrl: null,
    reports,
  },
});
const recipients = ['digest-1', 'digest-2'];
const sending = result({ result: 'publicationSending', publicationId: 'pub_1', attempt: 1, by: 'life-1', recipients });
const publishFailed = { result: 'publishFailed', publicationId: 'pub_1', attempt: 1, error: 'no', reports } as const;

const seen = relay({ relay: 'repositorySeen', repository, seenAt: epoch });
const orgOf = (partition: Partition): string => organizationByLogin(partition, origin, 'acme')?.id ?? assert.fail();
const endpoint: Made = (partition) =>
  commandRecord({
    name: 'createWebhookEndpoint',
    endpoint: {
      ...{
        id: 'ep_1',
        orgId: orgOf(partition),
        url: 'https://a.example/',
        description: '',
        events: ['draft.generated'],
      },
      ...{ disabled: null, sealed: 'v1.x', previous: [], failingSince: null, createdAt: 0, updatedAt: 0 },
    },
  } as never);
const webhookEvent = relay({
  relay: 'webhookEvent',
  ...{ repoId, event: 'draft.generated', happenedAt: epoch },
  data: { draftId, persona: 'engineer', releaseRangeId: rangeId },
});
const attempted = (outcome: 'delivered' | 'failed' | 'gone'): Made =>
  result((partition) => ({
    result: 'webhookAttempted',
    ...{ endpointId: 'ep_1', deliveryId: listWebhookDeliveries(partition, 'ep_1')[0]?.id ?? assert.fail(), number: 1 },
    attempt: { at: epoch, ms: 5, status: 500, error: 'it failed', response: null },
    ...{ outcome, retryAt: outcome === 'failed' ? epoch + 60_000 : null },
  }));
const named = commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never);
const claimSeen: Made = (partition) =>
  relay({ relay: 'repositorySeen', repository, seenAt: epoch, claimedBy: orgOf(partition) });
const asked = { result: 'ownerAnswered', repoId, ownerId: '77', askedAt: epoch + 1000, partitions: 4 } as const;

/** Events that an organization has signed with its own secret, without a proof that the repository belongs to it. */
const claimed: readonly Made[] = [1, 2].map((number) =>
  pullRecord(number, { signedBy: { org: 'org_1', proved: false } }),
);

function installation(action: InstallationBody['action'], at = epoch, login = 'acme'): JournalRecord {
  const { id, hostId, fullName } = repository;
  const added = action === 'installed' ? [{ id, hostId, fullName, private: false }] : [];
  const body = { action, origin, installationId: '9', owner: { id: '77', login }, added, removed: [] };
  return { id: ulid(), at, kind: 'installation', delivery: ulid(), source: '', partitions: 4, body };
}

/** Old pull requests, so many that a sweep takes several pieces of work. */
const old: readonly Made[] = [
  ...Array.from({ length: 1600 }, (_, i) => pullRecord(i + 1)),
  ...dailyTicks(epoch, later),
];
const before = dayOf(later) - 365;
const sweep = sweepRecord({ sweep: 'records', before, notesLosses: true }, later);
let pieces = 0;
const more = (): JournalRecord => sweepRecord({ sweep: 'more' }, later + ++pieces);
const wait = (partition: Partition) => retentionStatus(partition).waiting[0] ?? assert.fail();
const approval: Made = (partition) => approvalRecord(wait(partition), later);
const moreTimes = (length: number): Made[] => Array.from({ length }, more);
/** The pieces of a whole sweep. */
const wholeSweep = (): Made[] => [...moreTimes(8), approval, ...moreTimes(8)];
/** The sweep erases the same, but ends one piece earlier, because the repeated record is a piece of work too. */
const endOfSweep = {
  tables: ['retention'],
  isHarmless: (once: Partition, twice: Partition) => {
    const [left, right] = [once, twice].map(retentionStatus) as [RetentionStatus, RetentionStatus];
    assert.ok(left.lastSweep && right.lastSweep && left.lastSweep.erased.pulls > 0);
    assert.ok(right.lastSweep.at < left.lastSweep.at);
    assert.deepEqual({ ...right, lastSweep: { ...right.lastSweep, at: left.lastSweep.at } }, left);
  },
};

const cases: Readonly<Record<Kind, readonly Case[]>> = {
  'event pull_request': [
    ...event(bodies.pull_request),
    {
      what: 'that cannot be folded',
      given: ready,
      record: poisonRecord(),
      // It is listed twice. Replaying both folds the event again, which changes nothing.
      differs: {
        tables: ['deadLetters'],
        isHarmless: (once, twice) =>
          assert.deepEqual(
            [once, twice].map((each) => listDeadLetters(each).length),
            [1, 2],
          ),
      },
    },
  ],
  'event issues': event(bodies.issues),
  'event issue_removed': event(bodies.issue_removed),
  'event push': event(bodies.push),
  'event tag': event(bodies.tag),
  'event comment': event(bodies.comment),
  'event repository': event(bodies.repository),
  'event label': event(bodies.label),
  'backfilled pull_request': page(bodies.pull_request),
  'backfilled issues': page(bodies.issues),
  'backfilled issue_removed': page(bodies.issue_removed, numbersOfOutbox),
  'backfilled push': page(bodies.push),
  'backfilled tag': page(bodies.tag),
  'backfilled comment': page(bodies.comment, numbersOfOutbox),
  'backfilled repository': page(bodies.repository),
  'backfilled label': page(bodies.label, numbersOfOutbox),
  'backfilled commits': page(bodies.commits),
  'backfilled steps': page(bodies.steps),
  'backfilled comparison': page(bodies.comparison),
  'backfilled pull_reactions': page(bodies.pull_reactions),
  installation: [
    { partition: 'directory', given: [], record: installation('installed') },
    { what: 'renamed', partition: 'directory', given: [seen], record: installation('renamed', epoch, 'acme-corp') },
    {
      what: 'removed',
      partition: 'directory',
      given: [installation('installed')],
      record: installation('uninstalled'),
    },
  ],
  command: [
    { given: stage, record: commandRecord({ name: 'updateDraft', draftId, bodyMd: 'Mine.\n' }) },
    { what: 'that is refused', given: [], record: commandRecord({ name: 'updateDraft', draftId, bodyMd: 'Mine.\n' }) },
    {
      what: 'with an Idempotency-Key',
      given: ready,
      record: { ...publish, once: { scope: 'scope', fingerprint: 'print' } },
    },
    {
      what: 'of the directory',
      partition: 'directory',
      given: [seen],
      record: commandRecord({ name: 'createKey', org: 'acme', origin, key: keyFields('key_1') } as never),
    },
    { what: 'that approves an erasure', given: [...old, sweep, ...moreTimes(4)], record: approval },
  ],
  'result rendered': [{ given: stage, record: rendered }],
  'result renderFailed': [
    {
      given: stage,
      record: result((partition) => ({
        result: 'renderFailed',
        ...{ draftId, ticket: 't', row: rowOf(partition, 'render'), error: 'too long' },
      })),
    },
  ],
  'result recounted': [
    {
      given: ready,
      record: result((partition) => ({
        ...{ result: 'recounted', repoId, row: rowOf(partition, 'recount'), reports },
        counts: [{ rangeId, prCount: 4, issueCount: 2, resolution: 'compare', commitCount: 1 }],
      })),
    },
    {
      what: 'that checks drafts',
      given: ready,
      record: result((partition) => ({
        ...{ result: 'recounted', repoId, row: rowOf(partition, 'recount'), reports, checks: true },
        counts: [{ rangeId, prCount: 4, issueCount: 2, resolution: 'compare' }],
      })),
      differs: numbersOfOutbox,
    },
    {
      what: 'that reaches a tag',
      given: ready,
      record: result((partition) => ({
        ...{ result: 'recounted', repoId, row: rowOf(partition, 'recount'), reports },
        counts: [
          {
            ...{ rangeId: openRangeId, prCount: 4, issueCount: 2, resolution: 'compare' },
            becomes: { type: 'FIRST_RELEASE', toTag: 'v1.0.0' },
          },
        ],
      })),
      differs: numbersOfOutbox,
    },
    {
      what: 'after an erasure',
      given: [...ready, tagRecord('v9', 9), ...dailyTicks(epoch, later), sweep],
      record: result(
        (partition) => ({
          ...{ result: 'recounted', repoId, row: rowOf(partition, 'recount'), reports },
          counts: [{ rangeId, prCount: 0, issueCount: 0, resolution: 'window' }],
        }),
        later,
      ),
    },
  ],
  'result checked': [
    {
      given: ready,
      record: result((partition) => ({
        ...{ result: 'checked', repoId, row: rowOf(partition, 'outdated') },
        drafts: [{ draftId, base: digestOf(readDraft(partition, draftId)?.generatedMd ?? ''), because: [] }],
      })),
    },
    {
      what: 'with a reason',
      given: ready,
      record: result((partition) => ({
        ...{ result: 'checked', repoId, row: rowOf(partition, 'outdated') },
        drafts: [
          {
            ...{ draftId, base: digestOf(readDraft(partition, draftId)?.generatedMd ?? '') },
            because: [{ number: 2, what: 'merged' }],
          },
        ],
      })),
      differs: numbersOfOutbox,
    },
    {
      what: 'of a draft that was being generated',
      given: ready,
      record: result({ result: 'checked', repoId, row: 0, drafts: [{ draftId, base: null, because: [] }] }),
      differs: numbersOfOutbox,
    },
  ],
  'result automated': [
    {
      given: [...ready, tagRecord('v1.0.0', 2, { body: bodies.tag })],
      record: result((partition) => ({
        ...{ result: 'automated', repoId, row: rowOf(partition, 'automate'), done: true, problem: 'no pages' },
        refused: [
          { tag: 'v1.0.0', name: 'publish', channel: 'hosted', persona: 'engineer', draft: false, error: 'no' },
        ],
        ended: [{ tag: 'v1.0.0', problem: null }],
      })),
    },
  ],
  'result relayed': [
    {
      given: ready,
      record: result((partition) => ({
        ...{ result: 'relayed', target: 'directory', row: rowOf(partition, 'relay') },
      })),
    },
  ],
  'result publicationSending': [{ given: [...ready, publish], record: sending }],
  'result published': [
    {
      given: [...ready, publish, sending],
      record: result({
        ...{ result: 'published', publicationId: 'pub_1', attempt: 1, url: 'https://a.example/1', reference: 'v1' },
        ...{ counts: { sent: 1 }, countsRanges: true, reached: { taken: ['digest-1'], free: ['digest-2'] } },
        page: { version: 'v1', persona: 'engineer', html: '<p>1</p>', date: 5 },
      }),
    },
  ],
  'result publishFailed': [
    {
      given: [...ready, publish, sending],
      record: result({ ...publishFailed, retryAt: null, unknown: true, reached: { taken: ['digest-1'], free: [] } }),
    },
    {
      what: 'that is tried again',
      given: [...ready, publish, sending],
      record: result({ ...publishFailed, retryAt: epoch + 60_000, unknown: false }),
    },
    {
      what: 'before an attempt began',
      given: [...ready, publish],
      record: result({ ...publishFailed, attempt: 0, retryAt: epoch + 60_000, unknown: false }),
    },
  ],
  'result webhookAttempted': (['delivered', 'failed', 'gone'] as const).map((outcome) => ({
    ...{ what: outcome, partition: 'directory', given: [seen, endpoint, webhookEvent], record: attempted(outcome) },
  })),
  'result ownerAnswered': [
    {
      what: 'confirmed',
      partition: 'directory',
      given: [named, claimSeen],
      record: result((partition) => ({
        ...{ ...asked, orgId: orgOf(partition) },
        answer: { confirmed: true, fullName: 'acme-corp/rocket', login: 'acme-corp' },
      })),
    },
    {
      what: 'refused',
      partition: 'directory',
      given: [named, claimSeen],
      record: result((partition) => ({
        ...{ ...asked, orgId: orgOf(partition) },
        answer: { confirmed: false, cause: 'owner', ownerId: '88', ownerLogin: 'moon' },
      })),
    },
  ],
  'result noteChecked': [null, epoch + 60_000].map((retryAt) => ({
    what: retryAt === null ? 'done' : 'that is tried again',
    given: [...ready, eventRecord(bodies.pull_request)],
    record: result((partition) => ({
      ...{ result: 'noteChecked', repoId, number: 2, row: listWaitingChecks(partition)[0]?.row ?? assert.fail() },
      ...{ outcome: retryAt === null ? 'written' : 'retried', shown: { headSha }, error: null, retryAt },
    })),
  })),
  'relay repositorySeen': [
    { partition: 'directory', given: [], record: seen },
    { what: 'of a claim', partition: 'directory', given: [named], record: claimSeen },
  ],
  'relay ownerProved': [null, 'org_1'].map((refuted) => ({
    what: refuted === null ? 'of the claim' : 'against the claim',
    given: claimed,
    record: relay({ relay: 'ownerProved', repoId, ownerId: '77', refuted }, 'directory'),
  })),
  'relay claimDropped': [
    { given: claimed, record: relay({ relay: 'claimDropped', repoId, claimedBy: 'org_1' }, 'directory') },
  ],
  'relay repositoryErased': [
    { given: ready, record: relay({ relay: 'repositoryErased', repoId }, 'directory') },
    {
      what: 'that keeps notes',
      given: ready,
      record: relay(
        { relay: 'repositoryErased', repoId, orgId: 'org_1', ownerId: '77', login: 'acme', keepPublished: true },
        'directory',
      ),
    },
  ],
  'relay ownerRenamed': [
    { given: ready, record: relay({ relay: 'ownerRenamed', repoId, ownerId: '77', login: 'acme-corp' }, 'directory') },
  ],
  'relay counted': [
    {
      partition: 'directory',
      given: [seen],
      record: relay({ relay: 'counted', repoId, counter: 'publications', countedAt: epoch, isRelease: true }),
    },
  ],
  'relay webhookEvent': [{ partition: 'directory', given: [seen, endpoint], record: webhookEvent }],
  tick: [
    { given: ready, record: tickRecord(epoch + 10 * dayMs) },
    { given: [...ready, ...dailyTicks(epoch, epoch + 9 * dayMs)], record: tickRecord(epoch + 10 * dayMs) },
    { what: 'after a jump of the clock', given: [tickRecord(epoch)], record: tickRecord(later) },
    { what: 'back', given: [tickRecord(epoch), tickRecord(later)], record: tickRecord(epoch + 1000) },
  ],
  claim: [
    { given: [], record: claimRecord(1, 'life-1') },
    { what: 'of a new lead', given: [claimRecord(1, 'life-1')], record: claimRecord(2, 'life-2') },
    {
      what: 'that another claim follows',
      given: [claimRecord(1, 'life-1')],
      record: claimRecord(2, 'life-2'),
      after: [claimRecord(2, 'life-3')],
    },
  ],
  foldVersion: [{ given: [], record: foldVersionRecord(foldVersion) }],
  'sweep records': [
    { what: 'of one piece', given: [...ready, ...dailyTicks(epoch, later)], record: sweep },
    { what: 'of several pieces', given: old, record: sweep, after: wholeSweep() },
    { what: 'after a jump of the clock', given: [...ready, tickRecord(epoch)], record: sweep },
  ],
  'sweep more': [
    { what: 'that counts', given: [...old, sweep], record: more(), after: wholeSweep() },
    {
      what: 'that erases',
      given: [...old, sweep, ...moreTimes(4), approval],
      record: more(),
      after: moreTimes(8),
      differs: endOfSweep,
    },
    {
      what: 'that erases a repository',
      given: [...old, relay({ relay: 'repositoryErased', repoId }, 'directory')],
      record: more(),
      after: moreTimes(8),
    },
  ],
  'sweep organisations': [
    {
      partition: 'directory',
      given: [installation('installed'), installation('uninstalled'), ...dailyTicks(epoch, epoch + 31 * dayMs)],
      record: (partition) => {
        const organisations = dueOrganizations(partition, epoch + 31 * dayMs);
        assert.equal(organisations.length, 1);
        return sweepRecord({ sweep: 'organisations', organisations, partitions: 4, shares: [] }, epoch + 31 * dayMs);
      },
    },
  ],
  usage: [
    {
      partition: 'directory',
      given: [seen, commandRecord({ name: 'createKey', org: 'acme', origin, key: keyFields('key_1') } as never)],
      record: (partition) => ({
        ...{ id: ulid(), at: epoch, kind: 'usage', boot: ulid(epoch), number: 1 },
        calls: [{ org: orgOf(partition), month: '2026-01', daySince: epoch, calls: 5 }],
        keys: [{ id: 'key_1', usedAt: epoch }],
      }),
    },
  ],
};

/** Returns the kind of a record, so that no record is listed under the kind of another. */
function kindOf(record: JournalRecord): Kind {
  const { kind } = record;
  switch (kind) {
    case 'event':
      return `event ${record.body.event}`;
    case 'backfilled':
      return `backfilled ${record.bodies[0]?.event ?? assert.fail()}`;
    case 'result':
      return `result ${record.body.result}`;
    case 'relay':
      return `relay ${record.body.relay}`;
    case 'sweep':
      return `sweep ${record.body.sweep}`;
    case 'installation':
    case 'command':
    case 'tick':
    case 'usage':
    case 'claim':
    case 'foldVersion':
      return kind;
    default:
      return unreachable(record, 'Unknown kind of record.');
  }
}

/**
 * Returns the names of the tables in which two partitions differ; for `meta`, of the rows. The differences that every
 * further message makes are left out.
 */
function differences(once: Partition, twice: Partition): string[] {
  const [left, right] = [once, twice].map((partition) => new Set(dump(partition).split('\n'))) as [
    Set<string>,
    Set<string>,
  ];
  const changed = [...left].filter((line) => !right.has(line)).concat([...right].filter((line) => !left.has(line)));
  const names = changed.map((line) => {
    const [table = '', key = ''] = line.split(' ');
    return table === 'meta' ? `meta ${JSON.parse(key)}` : table;
  });
  const always = ['meta cursor', 'meta digest'];
  return [...new Set(names)].filter((name) => !always.includes(name)).sort();
}

async function check(t: TestContext, kind: string, { given, record, after = [], differs, partition: name }: Case) {
  const [once, twice] = [openTestPartition(t, name ?? 'p00'), openTestPartition(t, name ?? 'p00')];
  let seq = 0;
  // Records are made once, so that both partitions fold the same ones.
  const foldBoth = async (all: readonly Made[]): Promise<void> => {
    const chunk: JournalRecord[] = [];
    const flush = async () => {
      if (chunk.length === 0) return;
      seq += 1;
      for (const partition of [once, twice]) await foldRecords(partition, seq, ...chunk);
      chunk.length = 0;
    };
    for (const each of all) {
      if (typeof each === 'function') await flush();
      chunk.push(typeof each === 'function' ? each(once) : each);
    }
    await flush();
  };
  await foldBoth(given);
  const made = typeof record === 'function' ? record(once) : record;
  assert.equal(kindOf(made), kind);
  const untouched = dump(once);
  await foldRecords(once, seq + 1, made);
  await foldRecords(twice, seq + 1, made);
  assert.notEqual(dump(once), untouched);
  await foldRecords(twice, seq + 2, made);
  seq += 2;
  await foldBoth(after);
  assert.deepEqual(differences(once, twice), differs?.tables ?? []);
  differs?.isHarmless(once, twice);
}

for (const [kind, all] of Object.entries(cases)) {
  test(`a record of the kind ${kind} may be folded twice`, async (t) => {
    for (const each of all) {
      const given = kind === 'foldVersion' ? each.given : [foldVersionRecord(foldVersion), ...each.given];
      await t.test(each.what ?? 'an ordinary one', (t) => check(t, kind, { ...each, given }));
    }
  });
}
