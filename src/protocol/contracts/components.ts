/**
 * Shapes that the OpenAPI document names; others are written out where they stand.
 */
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
