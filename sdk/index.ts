/**
 * Exports the public functions and types of `@tidings/client`.
 */
export {
  type Client,
  type ClientOptions,
  createClient,
  DraftFailedError,
  metaOf,
  type SessionAuth,
} from './client.ts';
export {
  ConflictError,
  ForbiddenError,
  InvalidRequestError,
  type Meta,
  NotFoundError,
  PreconditionFailedError,
  type RateLimit,
  RateLimitedError,
  ServerError,
  TidingsError,
  UnauthorizedError,
} from './errors.ts';
export type { EventsOptions, EventsState, ReceivedEvent } from './events.ts';
export type * from './operations.ts';
export type { CallOptions } from './send.ts';
export { verifyWebhook, WebhookError, type WebhookFault, type WebhookHeaders } from './webhooks.ts';
