/**
 * Makes the reply of each operation in test mode. The reply depends only on the request and has the shape of the real
 * reply.
 */
import { publicUrlOf } from '../../config/public-url.ts';
import { warningsOf } from '../foundation/conflicts.ts';
import { digestOf, toEtag } from '../foundation/etag.ts';
import { versionName } from '../foundation/page-url.ts';
import { type ChannelName, channelTraits } from '../protocol/channels.ts';
import type { DraftEntry } from '../protocol/draft-entries.ts';
import { channelNames, personas } from '../protocol/names.ts';
import { type Change, type Diagnostics, defaultSettings } from '../protocol/notes.ts';
import type { PullNote } from '../protocol/pull-note.ts';
import type { ChannelQuery } from '../protocol/resources/channels.ts';
import type { ListDraftsQuery, UpdateDraftBody } from '../protocol/resources/drafts.ts';
import type { CreateAppManifestBody, RemoveHostAppQuery } from '../protocol/resources/hosts.ts';
import type { CreateKeyBody } from '../protocol/resources/keys.ts';
import type { UpdateOrganizationBody } from '../protocol/resources/organizations.ts';
import type { Paging } from '../protocol/resources/paging.ts';
import type { ListPublicationsQuery, PublishBody } from '../protocol/resources/publications.ts';
import type { CreateRangeBody, UnreleasedQuery } from '../protocol/resources/ranges.ts';
import type { GetRepositoryQuery } from '../protocol/resources/repositories.ts';
import { defaultWeeks, type WeeklyStatsQuery } from '../protocol/resources/stats.ts';
import type { CreateWebhookEndpointBody, UpdateWebhookEndpointBody } from '../protocol/resources/webhook-endpoints.ts';
import type { SettingsPreview } from '../protocol/settings-preview.ts';
import type { Persona, RangeBounds } from '../protocol/stored.ts';
import { type WebhookEndpointRecord, webhookEvents } from '../protocol/webhooks.ts';
import { defaultConnection } from '../store/connections.ts';
import { automationResponse } from '../store/tables/automations.ts';
import { backfillResponse } from '../store/tables/backfills.ts';
import { channelResponse } from '../store/tables/channels.ts';
import { directoryRepositoryResponse } from '../store/tables/directory.ts';
import { hostAppResponse } from '../store/tables/host-apps.ts';
import { keyReply } from '../store/tables/keys.ts';
import { publicationResponse } from '../store/tables/publications.ts';
import { draftResponse, draftSummary, rangeResponse } from '../store/tables/responses.ts';
import { webhookDeliveryResponse } from '../store/tables/webhook-deliveries.ts';
import { webhookEndpointResponse } from '../store/tables/webhook-endpoints.ts';
import { webhookSecretResponse } from '../store/tables/webhook-secrets.ts';
import { weekOf } from '../store/tables/weeks.ts';
import { toRule } from './automation.ts';
import { issueFields, issueResponse, pullFields, pullResponse, toNumber } from './captured.ts';
import { deliveryResponse } from './deliveries.ts';
import { eventsReply } from './events.ts';
import { appManifest, manifestUrl } from './host-apps.ts';
import { hostCheckResponse } from './hosts.ts';
import { mockDraft, mockPublication, mockRange, mockStoredPublication, repositoryUrl } from './mock-subjects.ts';
import { type Page, page } from './page.ts';
import { deletedResponse } from './publications.ts';
import { type Previewed, rangePreviewResponse, unreleasedResponse } from './range-previews.ts';
import type { ApiReply, ApiRequest } from './route.ts';
import {
  sampleAppState,
  sampleBackfill,
  sampleChannel,
  sampleComment,
  sampleDraft,
  sampleDraftId,
  sampleHost,
  sampleHostApp,
  sampleHostCheck,
  sampleIssue,
  sampleKey,
  sampleOrganization,
  samplePreview,
  samplePull,
  sampleRange,
  sampleRefusal,
  sampleRepository,
  sampleSecret,
  sampleTags,
  sampleTime,
  sampleWebhookDelivery,
  sampleWebhookEndpoint,
  sampleWebhookSecret,
} from './samples.ts';
import { toSettings } from './settings.ts';
import { weekResponse } from './stats.ts';
import { withDefaults } from './validate.ts';
import { webhookEventTypes } from './webhook-events.ts';

type Mock = (request: ApiRequest<never>) => ApiReply;

const sampleChange: Change = {
  kind: 'pull',
  number: 41,
  title: 'Land on rough ground',
  included: true,
  reason: 'listed',
  section: 'feature',
  kindBy: 'label',
  method: 'mergeCommit',
};
const sampleEntry: DraftEntry = {
  marker: 'pr:41',
  heading: 'Features',
  area: null,
  text: sampleChange.title,
  source: 'title',
  numbers: [41],
  shas: [],
  kind: 'feature',
  kindBy: 'label',
  reason: 'listed',
};
const sampleDiagnostics: Diagnostics = {
  changes: 1,
  dependencyUpdates: 0,
  unlabelled: 0,
  unlabelledRate: 0,
  withoutArea: 1,
  undecided: 0,
  mayBreak: 0,
};

const sampleDiff = [
  '--- stored/engineer.md',
  '+++ given/engineer.md',
  '@@ -1,1 +1,1 @@',
  '-## Features',
  '+## New',
  '',
].join('\n');
const noDifference = { changed: false, added: 0, removed: 0, diff: '', truncated: false, changedFlags: [] };
const sampleSettingsPreview: SettingsPreview = {
  ranges: [
    {
      fromTag: 'v1.0.0',
      toTag: 'v1.1.0',
      prCount: 1,
      issueCount: 0,
      resolution: 'compare',
      personas: personas.map((persona) => ({
        persona,
        ...noDifference,
        ...(persona === 'engineer' && { changed: true, added: 1, removed: 1, diff: sampleDiff }),
      })),
    },
  ],
};

function mockPreview(request: ApiRequest<never>, repoId: string, bounds: RangeBounds): Previewed {
  const page = { changes: [sampleChange], total: 1, diagnostics: sampleDiagnostics };
  return samplePreview({ repoId, url: repositoryUrl(request, repoId), bounds }, page);
}

function samplePullNote(number: number): PullNote {
  const { included, reason, section, kindBy, title } = sampleChange;
  const lineOf = (heading: string) => [{ heading, markdown: `- ${title}` }];
  return {
    number,
    verdict: { state: 'success', missing: [], message: 'The release notes have all they need.' },
    ...{ included, reason, ...(section && { section }), ...(kindBy && { kindBy }) },
    lines: { engineer: lineOf('Features'), internal: lineOf('Features'), customer: lineOf('New') },
    onHost: { headSha: 'a'.repeat(40), error: null },
  };
}

/** Functions that make the replies of test mode, by operation. An operation that is not listed has no test mode. */
export const mocks: Readonly<Record<string, Mock>> = {
  listRepositories: list('repos', ({ query }) => [repository(sampleRepository.id, query)]),
  getRepository: ({ params, query }) => ok(repository(idOf(params), query)),
  updateRepository: ({ params, body }) =>
    changed({
      ...repository(idOf(params), {}),
      state: field(body, 'selected') ? 'connected' : 'unselected',
    }),
  listRepositoryTags: list('tags', () => sampleTags),
  listPullRequests: list('pulls', ({ params }) => [pullFields(idOf(params), samplePull(41))], { nextCursor: null }),
  listIssues: list('issues', ({ params }) => [issueFields(idOf(params), sampleIssue(12))], { nextCursor: null }),
  getPullRequest: ({ params: [repoId = '', text = ''], query }) => {
    const number = toNumber(text);
    return ok(pullResponse(repoId, samplePull(number), [sampleComment(number)], query));
  },
  getPullRequestNote: ({ params: [, text = ''] }) => ok(samplePullNote(toNumber(text))),
  getIssue: ({ params: [repoId = '', text = ''], query }) => {
    const number = toNumber(text);
    return ok(issueResponse(repoId, sampleIssue(number), [sampleComment(number)], query));
  },
  getRepositorySettings: () => ok(defaultSettings),
  putRepositorySettings: ({ body }) => changed(toSettings(body)),
  previewRepositorySettings: () => ok(sampleSettingsPreview),
  getRepositoryAutomation: () => ok(automationResponse(undefined, [])),
  putRepositoryAutomation: ({ body }) =>
    changed(automationResponse({ rule: toRule(body), setAt: sampleTime, newest: 0, open: [] }, [])),
  removeRepositoryAutomation: () => ok(automationResponse(undefined, [])),
  listRanges: list('ranges', (request) => {
    const { repoId } = request.query as { repoId: string };
    return [rangeResponse(sampleRange(undefined, repoId), repositoryUrl(request, repoId))];
  }),
  getRange: (request) => {
    const range = mockRange(request, idOf(request.params));
    return ok(rangeResponse(range, repositoryUrl(request, range.repoId)));
  },
  createRange: (request) => {
    const { repoId, ...bounds } = request.body as CreateRangeBody;
    const range = sampleRange(undefined, repoId, bounds);
    return made(rangeResponse(range, repositoryUrl(request, repoId)), `/api/ranges/${range.id}`);
  },
  previewRange: (request) => {
    const { repoId, ...bounds } = request.body as CreateRangeBody;
    return ok(rangePreviewResponse(mockPreview(request, repoId, bounds)));
  },
  getUnreleased: (request) => {
    const { branch, tagPattern } = request.query as UnreleasedQuery;
    const bounds = { type: 'UNRELEASED', ...(branch && { branch }), ...(tagPattern && { tagPattern }) } as const;
    const previewed = mockPreview(request, idOf(request.params), bounds);
    return ok(unreleasedResponse(previewed, sampleRange(undefined, previewed.repoId, bounds).id));
  },
  listDrafts: list(
    'drafts',
    ({ query }) => {
      const { repoId = sampleRepository.id, persona, view, ...named } = query as ListDraftsQuery;
      const { releaseRangeId = sampleRange(undefined, repoId).id } = named;
      const wanted = persona ? [persona] : personas;
      return wanted.map((persona) => {
        const draft = sampleDraft(sampleDraftId(releaseRangeId, persona));
        const toResponse = view === 'summary' ? draftSummary : draftResponse;
        return toResponse({ ...draft, rangeId: releaseRangeId });
      });
    },
    { nextCursor: null },
  ),
  getDraft: (request) => ok(draftResponse(mockDraft(request, idOf(request.params)))),
  generateDraft: ({ params, body }) => {
    const id = sampleDraftId(idOf(params), field(body, 'persona') as Persona);
    return made({ id, status: 'processing', estimatedTime: 1 }, `/api/drafts/${id}`);
  },
  updateDraft: ({ params, body }) => {
    const { bodyMd: text, flags: changes } = body as UpdateDraftBody;
    const draft = sampleDraft(idOf(params), text);
    const { id, bodyMd, conflicts, updatedAt } = draftResponse(draft);
    const set = Object.entries(changes ?? {}).filter(([, value]) => value !== null);
    const flags = changes && { flags: { ...draft.flags, ...Object.fromEntries(set) } };
    return { ...ok({ id, bodyMd, ...flags, conflicts, updatedAt }), etag: toEtag(draft.digest) };
  },
  listDraftEntries: list('entries', () => [sampleEntry]),
  listDraftRevisions: list('revisions', () => [revision(1)]),
  getDraftRevision: ({ params: [draftId = '', number = '1'] }) => {
    const { id, bodyMd } = sampleDraft(draftId);
    return ok({ draftId: id, ...revision(Number(number)), bodyMd });
  },
  restoreDraft: ({ params }) => {
    const draft = sampleDraft(idOf(params));
    const { id, bodyMd, conflicts, updatedAt } = draftResponse(draft);
    return { ...ok({ id, revision: 2, updatedAt, bodyMd, conflicts }), etag: toEtag(draft.digest) };
  },
  listRangeChanges: list('changes', () => [sampleChange], { diagnostics: sampleDiagnostics }),
  listWebhookSecrets: list('webhookSecrets', () => [webhookSecretResponse(sampleWebhookSecret)]),
  createWebhookSecret: ({ body }) => secretReply(201, 'secret' in (body as object)),
  rotateWebhookSecret: () => secretReply(200, false),
  revokeWebhookSecret: ({ params }) => ok({ id: idOf(params), revokedAt: new Date(sampleTime).toISOString() }),
  listWebhookEvents: list('webhookEvents', () => [...webhookEventTypes]),
  listWebhookEndpoints: list('webhookEndpoints', () => [
    webhookEndpointResponse(sampleWebhookEndpoint('ep_test_sample')),
  ]),
  createWebhookEndpoint: ({ body }) => {
    const { org: _, events = webhookEvents, description = '', ...given } = body as CreateWebhookEndpointBody;
    const endpoint = sampleWebhookEndpoint('ep_test_made', { ...given, events: [...events], description });
    return endpointReply(201, endpoint, ['Location', `/api/webhook-endpoints/${endpoint.id}`]);
  },
  getWebhookEndpoint: ({ params }) => ok(webhookEndpointResponse(sampleWebhookEndpoint(idOf(params)))),
  updateWebhookEndpoint: ({ params, body }) => {
    const { enabled = true, ...fields } = body as UpdateWebhookEndpointBody;
    const disabled = enabled ? null : ({ reason: 'user', at: sampleTime } as const);
    return changed(webhookEndpointResponse(sampleWebhookEndpoint(idOf(params), { ...fields, disabled })));
  },
  rotateWebhookEndpointSecret: ({ params }) => endpointReply(200, sampleWebhookEndpoint(idOf(params))),
  deleteWebhookEndpoint: ({ params }) => ok({ id: idOf(params), deletedAt: new Date(sampleTime).toISOString() }),
  testWebhookEndpoint: ({ params }) => {
    const endpointId = idOf(params);
    const body = webhookDeliveryResponse(sampleWebhookDelivery('dlv_test_sample', endpointId));
    return made(body, `/api/webhook-endpoints/${endpointId}/deliveries/${body.id}`);
  },
  listWebhookDeliveries: list('deliveries', ({ params }) => [
    webhookDeliveryResponse(sampleWebhookDelivery('dlv_test_sample', idOf(params))),
  ]),
  getWebhookDelivery: ({ params: [endpointId = '', id = ''] }) =>
    ok(webhookDeliveryResponse(sampleWebhookDelivery(id, endpointId))),
  resendWebhookDelivery: ({ params: [endpointId = '', id = ''] }) =>
    ok(webhookDeliveryResponse({ ...sampleWebhookDelivery(id, endpointId), status: 'pending', dueAt: 0 })),
  replayWebhookDeliveries: ({ params }) => ok({ endpointId: idOf(params), replayed: 1 }),
  startBackfill: ({ params }) => {
    const headers = ['Location', `/api/repos/${idOf(params)}/backfill`];
    return { status: 202, body: backfillResponse(sampleBackfill(idOf(params), 'running')), headers };
  },
  getBackfill: ({ params }) => ok(backfillResponse(sampleBackfill(idOf(params), 'completed'))),
  cancelBackfill: ({ params }) => ok(backfillResponse(sampleBackfill(idOf(params), 'cancelled'))),
  streamEvents: eventsReply,
  listDeliveries: list('deliveries', () => [deliveryResponse(sampleRefusal)], {
    since: new Date(sampleTime).toISOString(),
  }),
  listDeadLetters: list('deadLetters', () => []),
  replayDeadLetters: () => ok({ replayed: [], nextCursor: null }),
  listHosts: () => ok({ hosts: [{ ...sampleHost, lastCheck: hostCheckResponse(sampleHostCheck) }], unusedApps: [] }),
  createAppManifest: ({ body, context }) => {
    const { origin, organization, name } = body as CreateAppManifestBody;
    const publicUrl = publicUrlOf(context.settings);
    const manifest = appManifest(publicUrl, name);
    return ok({ url: manifestUrl(origin, organization, sampleAppState), manifest, state: sampleAppState });
  },
  createHostApp: () => ({ status: 201, body: hostAppResponse(sampleHostApp) }),
  removeHostApp: ({ query }) => {
    const { appId: id, name, url, secretId } = sampleHostApp;
    const { origin } = query as unknown as RemoveHostAppQuery;
    return ok({ origin, id, name, url, secretId, removedAt: new Date(sampleTime).toISOString() });
  },
  checkHost: ({ body }) => ok(hostCheckResponse({ ...sampleHostCheck, origin: field(body, 'origin') as string })),
  showRetention: () => ok({ before: '2025-01-01', partitions: [], repositories: [], organizations: [] }),
  approveRetention: () => ok({ approved: [] }),
  listKeys: list('keys', ({ directory }) => [keyReply(directory, sampleKey('key_test_sample'), sampleTime)]),
  getKey: ({ directory, params }) => ok(keyReply(directory, sampleKey(idOf(params)), sampleTime)),
  createKey: ({ directory, body }) => {
    const { name, scopes = ['*'] } = body as CreateKeyBody;
    const key = sampleKey('key_test_made', { name, scopes });
    return made({ ...keyReply(directory, key, sampleTime), key: sampleSecret }, `/api/keys/${key.id}`);
  },
  rotateKey: ({ directory }) => {
    const key = sampleKey('key_test_rotated');
    return made({ ...keyReply(directory, key, sampleTime), key: sampleSecret }, `/api/keys/${key.id}`);
  },
  revokeKey: ({ directory, params }) =>
    ok({ ...keyReply(directory, sampleKey(idOf(params), { revokedAt: sampleTime }), sampleTime), endedKeys: 0 }),
  publishDraft: (request) => {
    const { draftId, channel, draft: asDraft = false } = request.body as PublishBody;
    const publication = mockPublication(request, { draftId, channel, asDraft });
    return made(publicationResponse(publication), `/api/publications/${publication.id}`);
  },
  previewPublication: (request) => {
    const { channel, draftId } = request.body as PublishBody;
    const { rangeId, bodyMd } = mockDraft(request, draftId);
    const { bounds } = mockRange(request, rangeId);
    const payload = { title: versionName(bounds), text: bodyMd };
    const isProvisional = channelTraits[channel].keepsVersions && bounds.type === 'UNRELEASED';
    const provisionalVersion = isProvisional ? payload.title : null;
    return ok({ channel, payload, provisionalVersion, warnings: warningsOf(bodyMd) });
  },
  listPublications: list(
    'publications',
    (request) => {
      const { draftId = 'draft_test_sample', channel = 'hosted' } = request.query as ListPublicationsQuery;
      return [publicationResponse(mockPublication(request, { draftId, channel, asDraft: false }))];
    },
    { nextCursor: null },
  ),
  getPublication: (request) => ok(publicationResponse(mockStoredPublication(request, idOf(request.params)))),
  resendPublication: (request) => {
    const publication = mockStoredPublication(request, idOf(request.params));
    return made(publicationResponse(publication), `/api/publications/${publication.id}`);
  },
  deletePublication: (request) => ok(deletedResponse(mockStoredPublication(request, idOf(request.params)), sampleTime)),
  listChannels: list('channels', (request) => channelNames.map((channel) => unconnected(request, channel))),
  getChannel: (request) => ok(unconnected(request, request.params[0] as ChannelName)),
  putChannel: (request) => {
    const channel = request.params[0] as ChannelName;
    const { repoId = null } = request.query as ChannelQuery;
    const settings = withDefaults(channelTraits[channel].settings, field(request.body, 'settings')) as object;
    return changed(channelResponse(channel, sampleChannel(channel, repoId, settings), {}));
  },
  removeChannel: (request) => ok(unconnected(request, request.params[0] as ChannelName)),
  testChannel: ({ params }) => ok({ channel: params[0], ok: true, message: 'Nothing was sent: this is test mode.' }),
  listOrganisations: list('organizations', () => [sampleOrganizationResponse('standard')]),
  getOrganisation: () => ok(sampleOrganizationResponse('standard')),
  updateOrganisation: ({ body }) => {
    const { tier = 'standard', ...policy } = body as UpdateOrganizationBody;
    return changed({ ...sampleOrganizationResponse(tier), ...policy });
  },
  getAbout: () =>
    ok({
      version: '1.0.0',
      node: '20.19.4',
      journalServer: '2.10.27',
      durability: 'power-loss',
      partitions: 8,
      hosts: 1,
      startedAt: new Date(sampleTime).toISOString(),
      limits: {
        ...{ tier: 'standard', apiPerMinute: 100, apiPerHour: 1000, apiPerDay: 10_000 },
        ...{ webhooksPerMinute: 100, webhooksPerHour: 1000 },
        ...{ keys: 100, ranges: 10_000, webhookEndpoints: 20, backfills: 50 },
      },
    }),
  getStats: () =>
    ok({
      currentMonth: '2026-01',
      activeRepos: 1,
      draftsGenerated: 3,
      publishedReleases: 1,
      publications: 2,
      apiCalls: 1550,
      billingTier: 'standard',
      usagePercentage: 0.5,
    }),
  getWeeklyStats: ({ query }) => {
    const { weeks = defaultWeeks } = query as WeeklyStatsQuery;
    const last = weekOf(sampleTime);
    const counts = { merged: 3, withoutLabels: 1, waits: [[40, 2]] } as const;
    return ok({ weeks: Array.from({ length: weeks }, (_, i) => weekResponse(last - weeks + 1 + i, counts)) });
  },
};

/**
 * Describes a channel that has no stored connection. A channel that needs no connection is shown with its default
 * settings.
 */
function unconnected({ context }: ApiRequest<never>, channel: ChannelName): Record<string, unknown> {
  return channelResponse(channel, undefined, defaultConnection(context.sealer, '', channel).settings);
}

function secretReply(status: number, ownText: boolean): ApiReply {
  const value = webhookSecretResponse(sampleWebhookSecret);
  const body = ownText ? value : { ...value, secret: '0'.repeat(64) };
  return { status, body, headers: ['Cache-Control', 'no-store'] };
}

function endpointReply(status: number, endpoint: WebhookEndpointRecord, headers: string[] = []): ApiReply {
  const body = { ...webhookEndpointResponse(endpoint), secret: `whsec_${'A'.repeat(43)}=` };
  return { status, body, headers: [...headers, 'Cache-Control', 'no-store'] };
}

function revision(number: number): object {
  const bytes = Buffer.byteLength(sampleDraft('').bodyMd);
  return { number, kind: 'generated', by: null, bytes, createdAt: new Date(sampleTime).toISOString() };
}

function ok(body: object): ApiReply {
  return { status: 200, body };
}

/** Makes the part of a reply that describes the sample repository. */
function repository(id: string, { include }: GetRepositoryQuery): object {
  const at = new Date(sampleTime).toISOString();
  const body = { ...directoryRepositoryResponse({ ...sampleRepository, id }), lastEventAt: at };
  if (include === undefined) return body;
  if (include === 'backfill') return { ...body, backfill: backfillResponse(sampleBackfill(id, 'completed')) };
  const [tag] = sampleTags;
  const unreleased = { pulls: 1, issues: 0, commits: 0, changes: 1, dependencyUpdates: 0, unlabelled: 0 };
  return { ...body, lastTag: tag && { name: tag.name, date: tag.date }, unreleased };
}

/** Makes the reply to a PATCH or PUT, with the ETag of the new content. */
function changed(body: object): ApiReply {
  return { ...ok(body), etag: toEtag(digestOf(JSON.stringify(body))) };
}

function made(body: object, location: string): ApiReply {
  return { status: 201, body, headers: ['Location', location] };
}

/** Makes the function for a list operation. The function returns the page that the query asks for. */
function list(name: string, items: (request: ApiRequest<never>) => object[], besides: object = {}): Mock {
  return (request) => {
    const sortable = (item: object) => ({ createdAt: 0, updatedAt: 0, name: '', id: JSON.stringify(item) });
    const paging: Paging = { ...(request.query as Paging), sort: 'createdAt', order: 'asc' };
    const { items: cut, ...rest }: Page<object> = page(items(request), paging, sortable, {
      sort: 'name',
      order: 'asc',
    });
    return ok({ [name]: cut, ...rest, ...besides });
  };
}

function sampleOrganizationResponse(tier: string): object {
  const { id, login, origin } = sampleOrganization;
  const createdAt = new Date(sampleTime).toISOString();
  const policy = { refuseInternalOnPublicChannels: false, keepPublishedAfterUninstall: true };
  return { id, login, host: origin, tier, ...policy, createdAt };
}

function idOf(params: readonly string[]): string {
  return params[0] ?? '';
}

function field(body: unknown, name: string): unknown {
  return (body as Record<string, unknown>)[name];
}
