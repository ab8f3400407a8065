/**
 * Shapes that the OpenAPI document names; others are written out where they stand.
 */
import { CreateRangeBodySchemas } from '../api.ts';
import { NotesSettingsSchema } from '../notes.ts';
import {
  ChangeReplySchema,
  DraftRestoreSchema,
  DraftSchema,
  DraftUpdateSchema,
  RangeSchema,
  RevisionSchema,
  RevisionTextSchema,
  TicketSchema,
} from '../replies/drafts.ts';
import { ErrorSchema } from '../replies/fields.ts';
import { RetentionSchema } from '../replies/operations.ts';
import {
  KeySchema,
  NewKeySchema,
  NewWebhookSecretSchema,
  OrganizationSchema,
  RevokedSchema,
  StatsSchema,
  WebhookSecretSchema,
} from '../replies/organisations.ts';
import { ChannelSchema, PublicationSchema } from '../replies/publishing.ts';
import { BackfillSchema, RepositorySchema, TagSchema } from '../replies/repositories.ts';
import {
  DeletedWebhookEndpointSchema,
  NewWebhookEndpointSchema,
  ReplayedSchema,
  WebhookDeliverySchema,
  WebhookEndpointSchema,
} from '../replies/webhooks.ts';
import { DraftGeneratedSchema, DraftPublishedSchema, EndpointTestSchema, RangeCreatedSchema } from './outgoing.ts';

export const components = {
  Backfill: BackfillSchema,
  Change: ChangeReplySchema,
  Channel: ChannelSchema,
  DateRange: CreateRangeBodySchemas.DATE_BASED,
  DeletedWebhookEndpoint: DeletedWebhookEndpointSchema,
  Draft: DraftSchema,
  DraftGeneratedEvent: DraftGeneratedSchema,
  DraftPublishedEvent: DraftPublishedSchema,
  DraftRestore: DraftRestoreSchema,
  DraftUpdate: DraftUpdateSchema,
  EndpointTestEvent: EndpointTestSchema,
  Error: ErrorSchema,
  Key: KeySchema,
  NewKey: NewKeySchema,
  NewWebhookEndpoint: NewWebhookEndpointSchema,
  NewWebhookSecret: NewWebhookSecretSchema,
  NotesSettings: NotesSettingsSchema,
  Organization: OrganizationSchema,
  Publication: PublicationSchema,
  PullRequestRange: CreateRangeBodySchemas.PR_BASED,
  Range: RangeSchema,
  RangeCreatedEvent: RangeCreatedSchema,
  Replayed: ReplayedSchema,
  Repository: RepositorySchema,
  Retention: RetentionSchema,
  Revision: RevisionSchema,
  RevisionText: RevisionTextSchema,
  RevokedWebhookSecret: RevokedSchema,
  Stats: StatsSchema,
  Tag: TagSchema,
  TagRange: CreateRangeBodySchemas.TAG_BASED,
  Ticket: TicketSchema,
  WebhookDelivery: WebhookDeliverySchema,
  WebhookEndpoint: WebhookEndpointSchema,
  WebhookSecret: WebhookSecretSchema,
} as const;
