/** The schemas that have a name in the OpenAPI document. All other schemas are inline in that document. */
import { DraftEntrySchema } from '../draft-entries.ts';
import { LiveEventSchema } from '../live-events.ts';
import { NotesSettingsSchema } from '../notes.ts';
import { PullNoteSchema } from '../pull-note.ts';
import { SettingsPreviewSchema } from '../settings-preview.ts';
import { AutomationSchema } from './automation.ts';
import { BackfillSchema } from './backfills.ts';
import {
  CommentSchema,
  IssueSchema,
  ListedIssueSchema,
  ListedPullRequestSchema,
  PullRequestSchema,
} from './captured.ts';
import { ChannelSchema } from './channels.ts';
import {
  DraftRestoreSchema,
  DraftSchema,
  DraftUpdateSchema,
  RevisionSchema,
  RevisionTextSchema,
  TicketSchema,
} from './drafts.ts';
import { ErrorSchema } from './fields.ts';
import { HostAppSchema } from './hosts.ts';
import { KeySchema, NewKeySchema } from './keys.ts';
import { OrganizationSchema } from './organizations.ts';
import {
  BackfillCompletedSchema,
  DraftGeneratedSchema,
  DraftOutdatedSchema,
  DraftPublishedSchema,
  EndpointTestSchema,
  PublicationFailedSchema,
  RangeChangedSchema,
  RangeCreatedSchema,
  RepositoryConnectedSchema,
  RepositoryDisconnectedSchema,
} from './outgoing-webhooks.ts';
import { PublicationSchema } from './publications.ts';
import {
  ChangeReplySchema,
  CreateRangeBodySchemas,
  RangePreviewSchema,
  RangeSchema,
  UnreleasedSchema,
} from './ranges.ts';
import { RepositorySchema, TagSchema } from './repositories.ts';
import { RetentionSchema } from './retention.ts';
import { SessionSchema } from './sessions.ts';
import { StatsSchema, WeeklyStatsSchema } from './stats.ts';
import { ReplayedSchema, WebhookDeliverySchema } from './webhook-deliveries.ts';
import { DeletedWebhookEndpointSchema, NewWebhookEndpointSchema, WebhookEndpointSchema } from './webhook-endpoints.ts';
import { NewWebhookSecretSchema, RevokedSchema, WebhookSecretSchema } from './webhook-secrets.ts';

export const components = {
  Automation: AutomationSchema,
  Backfill: BackfillSchema,
  BackfillCompletedEvent: BackfillCompletedSchema,
  Change: ChangeReplySchema,
  Channel: ChannelSchema,
  Comment: CommentSchema,
  DateRange: CreateRangeBodySchemas.DATE_BASED,
  DeletedWebhookEndpoint: DeletedWebhookEndpointSchema,
  Draft: DraftSchema,
  DraftEntry: DraftEntrySchema,
  DraftGeneratedEvent: DraftGeneratedSchema,
  DraftOutdatedEvent: DraftOutdatedSchema,
  DraftPublishedEvent: DraftPublishedSchema,
  DraftRestore: DraftRestoreSchema,
  DraftUpdate: DraftUpdateSchema,
  EndpointTestEvent: EndpointTestSchema,
  Error: ErrorSchema,
  FirstReleaseRange: CreateRangeBodySchemas.FIRST_RELEASE,
  HostApp: HostAppSchema,
  Issue: IssueSchema,
  Key: KeySchema,
  ListedIssue: ListedIssueSchema,
  ListedPullRequest: ListedPullRequestSchema,
  LiveEvent: LiveEventSchema,
  NewKey: NewKeySchema,
  NewWebhookEndpoint: NewWebhookEndpointSchema,
  NewWebhookSecret: NewWebhookSecretSchema,
  NotesSettings: NotesSettingsSchema,
  Organization: OrganizationSchema,
  Publication: PublicationSchema,
  PublicationFailedEvent: PublicationFailedSchema,
  PullNote: PullNoteSchema,
  PullRequest: PullRequestSchema,
  PullRequestRange: CreateRangeBodySchemas.PR_BASED,
  Range: RangeSchema,
  RangeChangedEvent: RangeChangedSchema,
  RangeCreatedEvent: RangeCreatedSchema,
  RangePreview: RangePreviewSchema,
  Replayed: ReplayedSchema,
  Repository: RepositorySchema,
  RepositoryConnectedEvent: RepositoryConnectedSchema,
  RepositoryDisconnectedEvent: RepositoryDisconnectedSchema,
  Retention: RetentionSchema,
  Revision: RevisionSchema,
  RevisionText: RevisionTextSchema,
  RevokedWebhookSecret: RevokedSchema,
  Session: SessionSchema,
  SettingsPreview: SettingsPreviewSchema,
  Stats: StatsSchema,
  WeeklyStats: WeeklyStatsSchema,
  Tag: TagSchema,
  TagRange: CreateRangeBodySchemas.TAG_BASED,
  Ticket: TicketSchema,
  Unreleased: UnreleasedSchema,
  UnreleasedRange: CreateRangeBodySchemas.UNRELEASED,
  WebhookDelivery: WebhookDeliverySchema,
  WebhookEndpoint: WebhookEndpointSchema,
  WebhookSecret: WebhookSecretSchema,
} as const;
