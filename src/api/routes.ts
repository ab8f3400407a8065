/**
 * Lists all routes of the API (spec part 4).
 */
import { aboutRoutes } from './about.ts';
import { automationRoutes } from './automation.ts';
import { backfillRoutes } from './backfills.ts';
import { capturedRoutes } from './captured.ts';
import { capturedListRoutes } from './captured-lists.ts';
import { changesRoutes } from './changes.ts';
import { channelRoutes } from './channels.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { deliveryRoutes } from './deliveries.ts';
import { draftEntryRoutes } from './draft-entries.ts';
import { draftListRoutes } from './draft-list.ts';
import { draftRoutes } from './drafts.ts';
import { eventRoutes } from './events.ts';
import { hostAppRoutes } from './host-apps.ts';
import { hostRoutes } from './hosts.ts';
import { keyRoutes } from './keys.ts';
import { organizationRoutes } from './organizations.ts';
import { publicationRoutes } from './publications.ts';
import { publishRoutes } from './publish.ts';
import { rangeRoutes } from './ranges.ts';
import { repositoryRoutes } from './repositories.ts';
import { retentionRoutes } from './retention.ts';
import { revisionRoutes } from './revisions.ts';
import type { ApiRoute } from './route.ts';
import { settingsRoutes } from './settings.ts';
import { statsRoutes } from './stats.ts';
import { unreleasedRoutes } from './unreleased.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';
import { webhookEventRoutes } from './webhook-events.ts';
import { webhookSecretRoutes } from './webhook-secrets.ts';

export const apiRoutes: readonly ApiRoute<never>[] = [
  ...repositoryRoutes,
  ...capturedListRoutes,
  ...capturedRoutes,
  ...settingsRoutes,
  ...automationRoutes,
  ...backfillRoutes,
  ...rangeRoutes,
  ...unreleasedRoutes,
  ...changesRoutes,
  ...draftListRoutes,
  ...draftRoutes,
  ...draftEntryRoutes,
  ...revisionRoutes,
  ...retentionRoutes,
  ...deliveryRoutes,
  ...deadLetterRoutes,
  ...hostRoutes,
  ...publishRoutes,
  ...publicationRoutes,
  ...channelRoutes,
  ...statsRoutes,
  ...keyRoutes,
  ...organizationRoutes,
  ...webhookSecretRoutes,
  ...hostAppRoutes,
  ...webhookEventRoutes,
  ...webhookEndpointRoutes,
  ...webhookDeliveryRoutes,
  ...eventRoutes,
  ...aboutRoutes,
];
