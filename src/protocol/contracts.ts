/**
 * What each operation of the API promises besides its path and query: the body it takes, the replies it gives by status,
 * and the statuses of its refusals. The route table joins these to handlers; the OpenAPI document is made of both.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import {
  ApproveRetentionBodySchema,
  CreateKeyBodySchema,
  CreateRangeBodySchemas,
  CreateWebhookEndpointBodySchema,
  CreateWebhookSecretBodySchema,
  EmptyBodySchema,
  GenerateDraftBodySchema,
  PublishBodySchema,
  PutChannelBodySchema,
  ReplayWebhooksBodySchema,
  RestoreDraftBodySchema,
  RotateKeyBodySchema,
  RotateWebhookSecretBodySchema,
  StartBackfillBodySchema,
  UpdateDraftBodySchema,
  UpdateOrganisationBodySchema,
  UpdateRepositoryBodySchema,
  UpdateWebhookEndpointBodySchema,
} from './api.ts';
import { DiagnosticsSchema, NotesSettingsSchema } from './notes.ts';
import {
  ApprovedSchema,
  BackfillSchema,
  ChangeReplySchema,
  ChannelSchema,
  ChannelTestSchema,
  DeletedPublicationSchema,
  DeletedWebhookEndpointSchema,
  DraftRestoreSchema,
  DraftSchema,
  DraftUpdateSchema,
  ErrorSchema,
  KeySchema,
  listOf,
  NewKeySchema,
  NewWebhookEndpointSchema,
  NewWebhookSecretSchema,
  OrganizationSchema,
  PayloadSchema,
  ProcessedSchema,
  PublicationSchema,
  QueuedSchema,
  RangeSchema,
  ReplayedSchema,
  RepositorySchema,
  RetentionSchema,
  RevisionSchema,
  RevisionTextSchema,
  RevokedSchema,
  StatsSchema,
  TagSchema,
  TicketSchema,
  WebhookDeliverySchema,
  WebhookEndpointSchema,
  WebhookSecretSchema,
} from './replies.ts';

export { params } from './replies.ts';

export type Tag =
  | 'Drafts'
  | 'Ranges'
  | 'Publishing'
  | 'Repositories'
  | 'Statistics'
  | 'Keys'
  | 'Organizations'
  | 'Outgoing webhooks'
  | 'Operations';

/** Days, YYYY-MM-DD: since when an operation should not be used any more, and when it goes. */
export interface Deprecation {
  since: string;
  sunset: string;
}

/** The promise of one operation. */
export interface Contract {
  tag: Tag;
  summary: string;
  /** An object that fits `body`, for readers; without it one is made of the fields' own examples. */
  example?: object;
  body?: TSchema;
  /** Bodies of the replies that are no refusals, by status. */
  replies: Readonly<Record<number, TSchema>>;
  /** Statuses of refusals, besides those that every operation of its kind has. */
  refusals?: readonly number[];
  /** Whether it takes If-Match. */
  conditional?: true;
  /** Set when the operation will go. */
  deprecated?: Deprecation;
}

const ranges = Object.values(CreateRangeBodySchemas);

export const contracts = {
  listRepositories: {
    tag: 'Repositories',
    summary: 'List repositories',
    replies: { 200: listOf('repos', RepositorySchema) },
  },
  getRepository: {
    tag: 'Repositories',
    summary: 'Get a repository',
    replies: { 200: RepositorySchema },
  },
  updateRepository: {
    tag: 'Repositories',
    summary: 'Connect a repository, or stop its events',
    body: UpdateRepositoryBodySchema,
    replies: { 200: RepositorySchema },
    refusals: [409],
    conditional: true,
  },
  listRepositoryTags: {
    tag: 'Repositories',
    summary: 'List the tags of a repository',
    replies: { 200: listOf('tags', TagSchema) },
  },
  getRepositorySettings: {
    tag: 'Repositories',
    summary: 'Get how a repository wants its notes',
    replies: { 200: NotesSettingsSchema },
  },
  putRepositorySettings: {
    tag: 'Repositories',
    summary: 'Put how a repository wants its notes; what is left out goes back to its default',
    example: { order: ['security'], titles: { fix: 'Mended' }, labels: { infra: { skip: true } } },
    body: NotesSettingsSchema,
    replies: { 200: NotesSettingsSchema },
    conditional: true,
  },
  startBackfill: {
    tag: 'Repositories',
    summary: 'Fetch the older history of a repository from its host',
    example: { since: '2026-01-01' },
    body: StartBackfillBodySchema,
    replies: { 202: BackfillSchema },
  },
  getBackfill: {
    tag: 'Repositories',
    summary: 'Get how far the newest backfill of a repository is',
    replies: { 200: BackfillSchema },
  },
  cancelBackfill: {
    tag: 'Repositories',
    summary: 'Cancel the backfill of a repository that is under way',
    replies: { 200: BackfillSchema },
    refusals: [409],
  },
  listRanges: {
    tag: 'Ranges',
    summary: 'List the release ranges of a repository',
    replies: { 200: listOf('ranges', RangeSchema) },
    refusals: [404],
  },
  getRange: { tag: 'Ranges', summary: 'Get a release range', replies: { 200: RangeSchema } },
  createRange: {
    tag: 'Ranges',
    summary: 'Create a release range between two tags, days or pull request numbers',
    example: {
      type: 'TAG_BASED',
      repoId: 'repo_mty60gmc8bsf7n553j66tq8t971m',
      fromTag: 'v1.0.0',
      toTag: 'v1.1.0',
    },
    body: Type.Union(ranges, { discriminator: { propertyName: 'type' } }),
    replies: { 201: RangeSchema },
    refusals: [404],
  },
  listRangeChanges: {
    tag: 'Ranges',
    summary: 'List why a range holds what it holds',
    replies: { 200: listOf('changes', ChangeReplySchema, { diagnostics: DiagnosticsSchema }) },
  },
  listDrafts: {
    tag: 'Drafts',
    summary: 'List the drafts of a range',
    replies: { 200: listOf('drafts', DraftSchema) },
    refusals: [404],
  },
  getDraft: { tag: 'Drafts', summary: 'Get a draft', replies: { 200: DraftSchema } },
  generateDraft: {
    tag: 'Drafts',
    summary: 'Generate the draft of a range for a persona',
    body: GenerateDraftBodySchema,
    replies: { 201: TicketSchema },
  },
  updateDraft: {
    tag: 'Drafts',
    summary: 'Replace the text of a draft',
    example: { bodyMd: '## Rocket 1.1\n\nLands anywhere.\n' },
    body: UpdateDraftBodySchema,
    replies: { 200: DraftUpdateSchema },
    conditional: true,
  },
  listDraftRevisions: {
    tag: 'Drafts',
    summary: 'List the texts that a draft has had',
    replies: { 200: listOf('revisions', RevisionSchema) },
  },
  getDraftRevision: {
    tag: 'Drafts',
    summary: 'Get a revision with its text',
    replies: { 200: RevisionTextSchema },
  },
  restoreDraft: {
    tag: 'Drafts',
    summary: 'Make the text of a revision the newest one',
    body: RestoreDraftBodySchema,
    replies: { 200: DraftRestoreSchema },
    conditional: true,
  },
  publishDraft: {
    tag: 'Publishing',
    summary: 'Publish a draft to a channel',
    example: { draftId: 'draft_mt37dtrf1ttssyjd67vpedqfsfqc', channel: 'hosted' },
    body: PublishBodySchema,
    replies: { 201: PublicationSchema },
    refusals: [404],
  },
  previewPublication: {
    tag: 'Publishing',
    summary: 'Get what a channel would be sent',
    example: { draftId: 'draft_mt37dtrf1ttssyjd67vpedqfsfqc', channel: 'hosted' },
    body: PublishBodySchema,
    replies: { 200: PayloadSchema },
    refusals: [404, 409],
  },
  listPublications: {
    tag: 'Publishing',
    summary: 'List the publications of a draft or a repository',
    replies: { 200: listOf('publications', PublicationSchema) },
    refusals: [404],
  },
  getPublication: { tag: 'Publishing', summary: 'Get a publication', replies: { 200: PublicationSchema } },
  resendPublication: {
    tag: 'Publishing',
    summary: 'Send a publication once more',
    example: {},
    body: EmptyBodySchema,
    replies: { 201: PublicationSchema },
  },
  deletePublication: {
    tag: 'Publishing',
    summary: 'Delete a publication, and its page if it has one',
    replies: { 200: DeletedPublicationSchema },
    refusals: [409],
  },
  listChannels: {
    tag: 'Publishing',
    summary: 'List the channels with their connections',
    replies: { 200: listOf('channels', ChannelSchema) },
    refusals: [404],
  },
  getChannel: {
    tag: 'Publishing',
    summary: 'Get the connection of a channel, without its secrets',
    replies: { 200: ChannelSchema },
  },
  putChannel: {
    tag: 'Publishing',
    summary: 'Connect a channel; a secret that is left out stays',
    example: { settings: {} },
    body: PutChannelBodySchema,
    replies: { 200: ChannelSchema },
    conditional: true,
  },
  removeChannel: {
    tag: 'Publishing',
    summary: 'Remove the connection of a channel',
    replies: { 200: ChannelSchema },
  },
  testChannel: {
    tag: 'Publishing',
    summary: 'Try the connection of a channel',
    example: {},
    body: EmptyBodySchema,
    replies: { 200: ChannelTestSchema },
    refusals: [409],
  },
  getStats: {
    tag: 'Statistics',
    summary: 'Get the statistics of an organization in the current month',
    replies: { 200: StatsSchema },
    refusals: [404],
  },
  listKeys: { tag: 'Keys', summary: 'List API keys', replies: { 200: listOf('keys', KeySchema) } },
  getKey: { tag: 'Keys', summary: 'Get an API key, without the key itself', replies: { 200: KeySchema } },
  createKey: {
    tag: 'Keys',
    summary: 'Make an API key; it is shown in this reply alone',
    example: { name: 'ci', org: 'acme', scopes: ['repos:read', 'drafts:read'] },
    body: CreateKeyBodySchema,
    replies: { 201: NewKeySchema },
    refusals: [404],
  },
  rotateKey: {
    tag: 'Keys',
    summary: 'Make a key that takes the place of another one',
    example: { overlapHours: 24 },
    body: RotateKeyBodySchema,
    replies: { 201: NewKeySchema },
  },
  revokeKey: { tag: 'Keys', summary: 'Revoke an API key', replies: { 200: KeySchema } },
  listOrganisations: {
    tag: 'Organizations',
    summary: 'List organizations and their tiers',
    replies: { 200: listOf('organizations', OrganizationSchema) },
  },
  getOrganisation: {
    tag: 'Organizations',
    summary: 'Get an organization',
    replies: { 200: OrganizationSchema },
  },
  updateOrganisation: {
    tag: 'Organizations',
    summary: 'Give an organization a tier of limits, or say what it allows of publishing',
    example: { tier: 'unlimited' },
    body: UpdateOrganisationBodySchema,
    replies: { 200: OrganizationSchema },
    conditional: true,
  },
  listWebhookSecrets: {
    tag: 'Organizations',
    summary: 'List webhook secrets, without their texts',
    replies: { 200: listOf('webhookSecrets', WebhookSecretSchema) },
  },
  createWebhookSecret: {
    tag: 'Organizations',
    summary: 'Make a webhook secret; a text made here is shown in this reply alone',
    example: { org: 'acme', name: 'hooks of acme' },
    body: CreateWebhookSecretBodySchema,
    replies: { 201: NewWebhookSecretSchema },
    refusals: [404],
  },
  rotateWebhookSecret: {
    tag: 'Organizations',
    summary: 'Make a new text for a webhook secret',
    example: { overlapHours: 24 },
    body: RotateWebhookSecretBodySchema,
    replies: { 200: NewWebhookSecretSchema },
  },
  revokeWebhookSecret: {
    tag: 'Organizations',
    summary: 'Revoke a webhook secret',
    replies: { 200: RevokedSchema },
  },
  listWebhookEndpoints: {
    tag: 'Outgoing webhooks',
    summary: 'List webhook endpoints, without their secrets',
    replies: { 200: listOf('webhookEndpoints', WebhookEndpointSchema) },
  },
  createWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Make a webhook endpoint; its secret is shown in this reply alone',
    example: { url: 'https://hooks.acme.example/tidings', events: ['draft.published'], org: 'acme' },
    body: CreateWebhookEndpointBodySchema,
    replies: { 201: NewWebhookEndpointSchema },
    refusals: [404],
  },
  getWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Get a webhook endpoint, without its secret',
    replies: { 200: WebhookEndpointSchema },
  },
  updateWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Change a webhook endpoint, switch it off or on',
    example: { enabled: true },
    body: UpdateWebhookEndpointBodySchema,
    replies: { 200: WebhookEndpointSchema },
    conditional: true,
  },
  rotateWebhookEndpointSecret: {
    tag: 'Outgoing webhooks',
    summary: 'Make a new secret for a webhook endpoint; both sign during the overlap',
    example: { overlapHours: 24 },
    body: RotateWebhookSecretBodySchema,
    replies: { 200: NewWebhookEndpointSchema },
  },
  deleteWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Delete a webhook endpoint and what was sent to it',
    replies: { 200: DeletedWebhookEndpointSchema },
  },
  testWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Send a test event to a webhook endpoint',
    example: {},
    body: EmptyBodySchema,
    replies: { 201: WebhookDeliverySchema },
    refusals: [409],
  },
  listWebhookDeliveries: {
    tag: 'Outgoing webhooks',
    summary: 'List what was sent to a webhook endpoint, with every attempt',
    replies: { 200: listOf('deliveries', WebhookDeliverySchema) },
  },
  getWebhookDelivery: {
    tag: 'Outgoing webhooks',
    summary: 'Get one delivery to a webhook endpoint',
    replies: { 200: WebhookDeliverySchema },
  },
  resendWebhookDelivery: {
    tag: 'Outgoing webhooks',
    summary: 'Send a delivery again, or now',
    example: {},
    body: EmptyBodySchema,
    replies: { 200: WebhookDeliverySchema },
    refusals: [409],
  },
  replayWebhookDeliveries: {
    tag: 'Outgoing webhooks',
    summary: 'Send again what was made in a range of time',
    example: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', status: 'failed' },
    body: ReplayWebhooksBodySchema,
    replies: { 200: ReplayedSchema },
    refusals: [409],
  },
  showRetention: {
    tag: 'Operations',
    summary: 'Show what retention would erase now, and what waits for a word',
    replies: { 200: RetentionSchema },
  },
  approveRetention: {
    tag: 'Operations',
    summary: 'Let erasing go on that waits for a word',
    example: {},
    body: ApproveRetentionBodySchema,
    replies: { 200: ApprovedSchema },
    refusals: [404, 409],
  },
} satisfies Record<string, Contract>;

/** Shapes that the document names; others are written out where they stand. */
export const components = {
  Backfill: BackfillSchema,
  Change: ChangeReplySchema,
  Channel: ChannelSchema,
  DeletedWebhookEndpoint: DeletedWebhookEndpointSchema,
  Draft: DraftSchema,
  DraftRestore: DraftRestoreSchema,
  DraftUpdate: DraftUpdateSchema,
  Error: ErrorSchema,
  Key: KeySchema,
  NewKey: NewKeySchema,
  NewWebhookEndpoint: NewWebhookEndpointSchema,
  NewWebhookSecret: NewWebhookSecretSchema,
  NotesSettings: NotesSettingsSchema,
  Organization: OrganizationSchema,
  Publication: PublicationSchema,
  Range: RangeSchema,
  Replayed: ReplayedSchema,
  Repository: RepositorySchema,
  Retention: RetentionSchema,
  Revision: RevisionSchema,
  RevisionText: RevisionTextSchema,
  RevokedWebhookSecret: RevokedSchema,
  Stats: StatsSchema,
  Tag: TagSchema,
  Ticket: TicketSchema,
  WebhookDelivery: WebhookDeliverySchema,
  WebhookEndpoint: WebhookEndpointSchema,
  WebhookSecret: WebhookSecretSchema,
} as const;

/** The webhook receiver, which takes no key. */
export const receiver = {
  summary: 'Receive a signed delivery of a source-code host',
  headers: [
    { name: 'X-Hub-Signature-256', example: `sha256=${'0'.repeat(64)}` },
    { name: 'X-Scm-Event', example: 'pull_request' },
    { name: 'X-Scm-Delivery', example: '9b5f4522-1775-4c3b-804b-580a7044b6d8' },
  ],
  example: { zen: 'Keep it simple.' },
  replies: { 200: ProcessedSchema, 202: QueuedSchema },
  refusals: [400, 401, 403, 413, 415, 429, 500],
} as const;
