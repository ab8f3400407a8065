/**
 * What an operation of the API promises besides its path and query: the body it takes, the replies it gives by status, and
 * the statuses of its refusals.
 */
import type { TSchema } from '@sinclair/typebox';

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

/** Contracts by the name of the operation. */
export type Contracts = Record<string, Contract>;
