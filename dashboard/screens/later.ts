/**
 * Collects what people open rarely: one file for the browser, which is loaded when the first of them opens. Many small
 * files would take longer, and compress less.
 */
export { Generate } from './draft/generate.tsx';
export { Revisions } from './draft/revisions.tsx';
export { EndpointLog } from './endpoint-log.tsx';
export { FirstRun } from './first-run/first-run.tsx';
export { CreatedApp } from './github-app.tsx';
export { DeadLetters, FromHosts } from './host-deliveries.tsx';
export { NewNotes } from './new-notes.tsx';
export { PublicationDialog } from './publication.tsx';
export { History } from './repository/history.tsx';
export { Ranges } from './repository/ranges.tsx';
export { RepositorySettings } from './repository/settings.tsx';
export { About } from './settings/about.tsx';
export { Channels } from './settings/channels.tsx';
export { Endpoints } from './settings/endpoints.tsx';
export { Hosts } from './settings/hosts.tsx';
export { Keys } from './settings/keys.tsx';
export { OrganizationSettings } from './settings/organization.tsx';
export { Retention } from './settings/retention.tsx';
export { WebhookSecrets } from './settings/secrets.tsx';
export { Charts } from './statistics/charts.tsx';
