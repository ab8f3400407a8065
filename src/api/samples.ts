/**
 * Defines made-up records for replies in test mode. The functions that make real replies from stored records also make
 * replies from these records.
 */
import { createHash } from 'node:crypto';
import type { BackfillRecord } from '../protocol/backfill.ts';
import { type ChannelName, type ChannelRecord, channelTraits } from '../protocol/channels.ts';
import type { KeyRecord, WebhookSecretRecord } from '../protocol/commands.ts';
import type { HostAppRecord } from '../protocol/host-apps.ts';
import type { CheckedHost } from '../protocol/host-checks.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import type { RefusedDelivery } from '../protocol/refused-deliveries.ts';
import type {
  CommentRecord,
  DraftRecord,
  IssueRecord,
  OpenEnds,
  Persona,
  PullRecord,
  RangeBounds,
  RangeRecord,
} from '../protocol/stored.ts';
import type { RangePreview } from '../protocol/tasks.ts';
import { type WebhookDelivery, type WebhookEndpointRecord, webhookEvents } from '../protocol/webhooks.ts';
import type { DirectoryRepository, OrganizationRecord } from '../store/tables/directory.ts';
import type { Previewed } from './range-previews.ts';

/** Ids that always exist in test mode. */
export const testId = /^(draft|range|repo|pub|org|key|secret|ep|dlv)_test_(\w{1,64})$/;

/** The time in all samples: the start of 2026. */
export const sampleTime = Date.UTC(2026, 0, 1);

/** A key that no instance accepts, although its format and checksum are valid. */
export const sampleSecret = 'rn_test_000000000000000000000000000000482FTC';

export const sampleRepository: DirectoryRepository = {
  id: 'repo_test_rocket',
  orgId: 'org_test_acme',
  hostId: '1001',
  fullName: 'acme/rocket',
  defaultBranch: 'main',
  state: 'connected',
  installationId: null,
  createdAt: sampleTime,
  seenAt: sampleTime,
};

export const sampleOrganization: OrganizationRecord = {
  id: 'org_test_acme',
  origin: 'https://github.com',
  login: 'acme',
  ownerId: '77',
  createdAt: sampleTime,
  uninstalledAt: null,
};

export const sampleTags = [
  { name: 'v1.1.0', sha: 'b'.repeat(40), date: new Date(sampleTime).toISOString() },
  { name: 'v1.0.0', sha: 'a'.repeat(40), date: new Date(sampleTime - 31 * 86_400_000).toISOString() },
];

const sampleAuthor = { login: 'ada', bot: false };

/** Makes a merged pull request. */
export function samplePull(number: number): PullRecord {
  return {
    number,
    title: 'Land on rough ground',
    body: 'Fixes #12',
    state: 'merged',
    labels: ['type: feature'],
    author: sampleAuthor,
    createdAt: sampleTime,
    updatedAt: sampleTime,
    closedAt: sampleTime,
    mergedAt: sampleTime,
    mergeSha: 'b'.repeat(40),
    baseRef: 'main',
    headRef: 'rough-ground',
    url: `https://github.com/acme/rocket/pull/${number}`,
    linkedIssues: [12],
    rank: 0,
  };
}

/** Makes a closed issue. */
export function sampleIssue(number: number): IssueRecord {
  return {
    number,
    title: 'It tips over on rough ground',
    body: '',
    state: 'closed',
    stateReason: 'completed',
    labels: ['type: bug'],
    author: { login: 'grace', bot: false },
    createdAt: sampleTime,
    updatedAt: sampleTime,
    closedAt: sampleTime,
    url: `https://github.com/acme/rocket/issues/${number}`,
    rank: 0,
  };
}

/** Makes a comment in a discussion. */
export function sampleComment(number: number): CommentRecord {
  return {
    kind: 'discussion',
    id: '2100843',
    number,
    author: sampleAuthor,
    body: 'Works on my machine.',
    state: null,
    createdAt: sampleTime,
    updatedAt: sampleTime,
    deleted: false,
    rank: 0,
  };
}

const sampleBounds: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' };

/** Makes the ends of an unreleased range. */
function sampleOpenEnds({ branch = 'main' }: RangeBounds): OpenEnds {
  return { fromTag: 'v1.1.0', branch, head: 'c'.repeat(40), begunAt: sampleTime };
}

/** Makes the preview of a range with one change. */
export function samplePreview(
  { repoId, url, bounds }: Omit<Previewed, 'preview'>,
  page: Pick<RangePreview, 'changes' | 'total' | 'diagnostics'>,
): Previewed {
  const { prCount, issueCount, resolution, openEnds } = sampleRange(undefined, repoId, bounds);
  const since = { tag: 'v1.1.0', sha: 'b'.repeat(40), date: sampleTime };
  return {
    repoId,
    url,
    bounds,
    preview: {
      ...{ prCount, issueCount, resolution, commitCount: 0 },
      ...(openEnds && { openEnds }),
      since,
      suggestedVersion: { version: 'v1.2.0', bump: 'minor', because: [{ number: 41, kind: 'feature' }] },
      ...page,
    },
  };
}

/** Makes a range. If `id` is undefined, the id is derived from the repository and the bounds. */
export function sampleRange(id: string | undefined, repoId: string, bounds: RangeBounds = sampleBounds): RangeRecord {
  const isOpen = bounds.type === 'UNRELEASED';
  return {
    ...(isOpen && { openEnds: sampleOpenEnds(bounds) }),
    id: id ?? `range_test_${shortHash(JSON.stringify([repoId, bounds]))}`,
    repoId,
    bounds,
    prCount: 2,
    issueCount: 1,
    resolution: bounds.type === 'TAG_BASED' ? 'commits' : 'window',
    createdAt: sampleTime,
    updatedAt: sampleTime,
  };
}

/**
 * Makes the id of a range's draft for a persona. The id contains the range id and the persona, so that both can be read
 * from it. A range id that is too long is replaced by its hash.
 */
export function sampleDraftId(rangeId: string, persona: Persona): string {
  const id = `draft_test_${persona}_${rangeId}`;
  return testId.test(id) ? id : `draft_test_${persona}_${shortHash(rangeId)}`;
}

/** Makes a draft that is ready. Its persona and range are read from its id. */
export function sampleDraft(id: string, bodyMd = sampleBody): DraftRecord {
  const [, persona = 'engineer', rangeId = sampleRangeId] =
    /^draft_test_(engineer|internal|customer)(?:_(range_\w+))?/.exec(id) ?? [];
  return {
    id,
    rangeId,
    repoId: sampleRepository.id,
    persona: persona as Persona,
    status: 'ready',
    ticket: null,
    bodyMd,
    generatedMd: bodyMd,
    flags: { highlights: ['Land on rough ground'], contributors: ['ada'], upgradeInstructions: '' },
    error: null,
    revision: 1,
    digest: shortHash(bodyMd).padEnd(22, '0'),
    createdAt: sampleTime,
    updatedAt: sampleTime,
  };
}

const sampleRangeId = sampleRange(undefined, sampleRepository.id).id;
const sampleBody = '## Features\n\n- Land on rough ground\n\n## Bug Fixes\n\n- Stop the fuel leak\n';

/** Makes a key of the sample organization. */
export function sampleKey(id: string, fields: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    hash: '',
    prefix: 'rn_test_',
    last4: sampleSecret.slice(-4),
    name: 'sample',
    orgId: sampleOrganization.id,
    scopes: ['repos:read'],
    createdAt: sampleTime,
    expiresAt: null,
    revokedAt: null,
    ...fields,
  };
}

export const sampleWebhookSecret: WebhookSecretRecord = {
  id: 'secret_test_sample',
  origin: sampleOrganization.origin,
  orgId: sampleOrganization.id,
  name: 'sample',
  sealed: '',
  previous: [],
  createdAt: sampleTime,
  rotatedAt: null,
};

/** Makes a completed publication. */
export function samplePublication(
  id: string | undefined,
  { draftId, channel, asDraft }: Pick<PublicationRecord, 'draftId' | 'channel' | 'asDraft'>,
): PublicationRecord {
  return {
    id: id ?? `pub_test_${shortHash(JSON.stringify([draftId, channel, asDraft]))}`,
    repoId: sampleRepository.id,
    draftId,
    revision: 1,
    rangeId: 'range_test_sample',
    persona: 'engineer',
    channel,
    asDraft,
    connection: { orgId: sampleOrganization.id, repoId: null, settings: {}, secrets: {}, receiver: '' },
    pagesUrl: null,
    status: 'completed',
    sending: null,
    attempted: 1,
    tries: 1,
    attempts: [{ at: sampleTime, endedAt: sampleTime, error: null }],
    nextAttemptAt: null,
    error: null,
    outcomeUnknown: false,
    url: null,
    counts: {},
    createdAt: sampleTime,
    updatedAt: sampleTime,
    publishedAt: sampleTime,
  };
}

/**
 * Makes the record of a channel connection from the settings in a request. The connection belongs to the repository or,
 * if `repoId` is null, to the sample organization.
 */
export function sampleChannel(channel: ChannelName, repoId: string | null, put: object): ChannelRecord {
  const { secrets } = channelTraits[channel];
  const isSecret = ([field]: [string, unknown]): boolean => secrets.includes(field);
  const fields = Object.entries(put);
  return {
    channel,
    orgId: sampleOrganization.id,
    repoId,
    settings: Object.fromEntries(fields.filter((field) => !isSecret(field))),
    secrets: Object.fromEntries(fields.filter(isSecret).map(([field]) => [field, ''])),
    receiver: '',
    createdAt: sampleTime,
    updatedAt: sampleTime,
  };
}

/** Makes an enabled endpoint. */
export function sampleWebhookEndpoint(id: string, fields: Partial<WebhookEndpointRecord> = {}): WebhookEndpointRecord {
  return {
    id,
    orgId: sampleOrganization.id,
    url: 'https://hooks.acme.example/tidings',
    description: 'sample',
    events: [...webhookEvents],
    disabled: null,
    sealed: '',
    previous: [],
    failingSince: null,
    createdAt: sampleTime,
    updatedAt: sampleTime,
    ...fields,
  };
}

/** Makes a delivery that succeeded at the first attempt. */
export function sampleWebhookDelivery(id: string, endpointId: string): WebhookDelivery {
  const event = 'draft.generated';
  const releaseRangeId = sampleRange(undefined, sampleRepository.id).id;
  const data = { draftId: sampleDraftId(releaseRangeId, 'engineer'), persona: 'engineer', releaseRangeId };
  return {
    id,
    endpointId,
    number: 1,
    eventId: 'evt_test_sample',
    event,
    body: JSON.stringify({ event, timestamp: new Date(sampleTime).toISOString(), data }),
    status: 'delivered',
    dueAt: null,
    tries: 1,
    attemptCount: 1,
    attempts: [{ at: sampleTime, ms: 84, status: 204, error: null, response: null }],
    createdAt: sampleTime,
  };
}

/** Makes a backfill in the given state. */
export function sampleBackfill(repoId: string, state: BackfillRecord['state']): BackfillRecord {
  const ended = state !== 'running' && state !== 'waiting';
  return {
    id: 'bf_test_sample',
    repoId,
    state,
    step: 1,
    position: {
      phase: 'pulls',
      next: null,
      again: false,
      etag: null,
      newest: null,
      branches: [],
      listed: false,
      number: 0,
    },
    phases: {},
    counts: { pulls: 40, issues: 12, tags: 2, releases: 1, commits: 85, comments: 60, reviews: 30 },
    waits: { count: 0, ms: 0, until: null },
    lists: {},
    error: null,
    since: null,
    depth: null,
    installationId: null,
    percent: ended ? 100 : 0,
    startedAt: sampleTime,
    updatedAt: sampleTime,
    finishedAt: ended ? sampleTime : null,
    row: 0,
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

export const sampleRefusal: RefusedDelivery = {
  id: 'rcv_test_sample',
  receivedAt: sampleTime,
  reason: 'wrong_signature',
  status: 401,
  event: 'pull_request',
  deliveryId: '9b5f4522-1775-4c3b-804b-580a7044b6d8',
  host: null,
  hostKind: 'github',
  hookId: '471',
  orgId: null,
  address: '192.0.2.7',
  contentType: 'application/json',
  triedSecrets: ['settings'],
};

export const sampleHost = {
  origin: 'https://github.com',
  kind: 'github',
  isDefault: true,
  credentials: ['token'],
  app: null,
  webhookSecrets: 1,
};

export const sampleAppState = 'v1.sample';

export const sampleHostApp: HostAppRecord = {
  origin: 'https://github.com',
  appId: '123456',
  slug: 'tidings-notes-example-com',
  name: 'Tidings notes.example.com',
  url: 'https://github.com/apps/tidings-notes-example-com',
  sealed: '',
  secretId: sampleWebhookSecret.id,
  createdAt: sampleTime,
};

export const sampleHostCheck: CheckedHost = {
  origin: 'https://github.com',
  checkedAt: sampleTime,
  state: 'answers',
  kind: 'github',
  version: null,
  fault: null,
  token: { state: 'accepted', missing: [], fault: null, mayRead: true, mayWrite: true },
  app: null,
};
