/**
 * The shape of a contract. A contract states what an API operation accepts and returns besides its path and query: the
 * body, the replies by status, and the statuses of refusals.
 */
import type { TSchema } from '@sinclair/typebox';

export type Tag =
  | 'Drafts'
  | 'Ranges'
  | 'Publishing'
  | 'Repositories'
  | 'Statistics'
  | 'Keys'
  | 'Sessions'
  | 'Organizations'
  | 'Outgoing webhooks'
  | 'Events'
  | 'Operations';

/**
 * Two days, YYYY-MM-DD: the day from which clients should no longer use an operation, and the day on which the
 * operation is removed.
 */
export interface Deprecation {
  since: string;
  sunset: string;
}

/** The contract of one operation. */
export interface Contract {
  tag: Tag;
  summary: string;
  /**
   * An example that matches `body`, for readers. Without this field, an example is made from the fields' own examples.
   */
  example?: object;
  body?: TSchema;
  /** Bodies of the successful replies, by status. */
  replies: Readonly<Record<number, TSchema>>;
  /**
   * Statuses of refusals that are specific to this operation. Other statuses follow from the operation's method, path
   * and options.
   */
  refusals?: readonly number[];
  /**
   * Set if the successful reply is a stream of server-sent events: a sample of each event. The shape in `replies` is then
   * that of one event.
   */
  streams?: readonly { event: string; data: object }[];
  /** Whether the operation accepts the `If-Match` header. */
  conditional?: true;
  /** Whether a reply of the operation sets or removes the cookie of a session. */
  setsCookie?: true;
  /** The field is set if the operation will be removed. */
  deprecated?: Deprecation;
}

/** Contracts by the name of the operation. */
export type Contracts = Record<string, Contract>;
