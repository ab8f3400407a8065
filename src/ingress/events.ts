/**
 * From a payload to the events it holds: which kinds and actions are captured, their schema checks, their minimised form.
 */
import type { TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { type ErrorDetails, invalid } from '../errors.ts';
import {
  type HostRepository,
  type IssuesPayload,
  IssuesPayloadSchema,
  type PullRequestPayload,
  PullRequestPayloadSchema,
  type PushPayload,
  PushPayloadSchema,
} from '../protocol/host.ts';
import type { EventBody, EventRepository } from '../protocol/journal.ts';
import { minimiseIssue, minimisePull, minimisePush, minimiseRepository, minimiseTag } from './minimise.ts';

/** The events of one delivery, in order, all of one repository. */
export interface Minimised {
  repository: EventRepository;
  bodies: EventBody[];
}

interface Capture {
  check: TypeCheck<TSchema>;
  captures: (payload: never) => boolean;
  minimise: (payload: never, repositoryUrl: string, now: number) => EventBody[];
}

/** Actions that change nothing that is stored, or that later versions handle. */
const ignoredIssueActions = new Set(['deleted', 'transferred']);

const captures: Record<string, Capture> = {
  pull_request: {
    check: TypeCompiler.Compile(PullRequestPayloadSchema),
    captures: () => true,
    minimise: (payload: PullRequestPayload, url, now) => [
      { event: 'pull_request', action: payload.action, pull: minimisePull(payload, url, now) },
    ],
  },
  issues: {
    check: TypeCompiler.Compile(IssuesPayloadSchema),
    captures: (payload: { action?: unknown }) => !ignoredIssueActions.has(String(payload.action)),
    minimise: (payload: IssuesPayload, url, now) => [
      { event: 'issues', action: payload.action, issue: minimiseIssue(payload, url, now) },
    ],
  },
  push: {
    check: TypeCompiler.Compile(PushPayloadSchema),
    captures: (payload: { ref?: unknown }) =>
      typeof payload.ref !== 'string' || /^refs\/(heads|tags)\/./.test(payload.ref),
    minimise: (payload: PushPayload, _, now) => {
      if (payload.ref.startsWith('refs/tags/')) return [{ event: 'tag', tag: minimiseTag(payload, now) }];
      return minimisePush(payload, now).map((push) => ({ event: 'push', push }));
    },
  },
};

/** Event names that may stand in a metric's label. */
export const knownEvents: ReadonlySet<string> = new Set([...Object.keys(captures), 'ping']);

/**
 * What a payload tells.
 * @returns undefined when the event or its action is not captured
 * @throws ServiceError `invalid` naming every field that a captured event lacks
 */
export function toEvents(event: string, payload: object, origin: string, now: number): Minimised | undefined {
  const capture = Object.hasOwn(captures, event) ? captures[event] : undefined;
  if (!capture?.captures(payload as never)) return undefined;
  if (!capture.check.Check(payload)) throw invalid(faults(capture.check, payload), 'The payload is incomplete.');
  const repository = minimiseRepository((payload as { repository: HostRepository }).repository, origin);
  return { repository, bodies: capture.minimise(payload as never, repository.url, now) };
}

/** One line for each bad field; a missing object is named once, not once for each of its fields. */
function faults(check: TypeCheck<TSchema>, payload: unknown): ErrorDetails {
  const details: ErrorDetails = {};
  for (const error of check.Errors(payload)) {
    const field = error.path.slice(1).replaceAll('/', '.');
    const parent = Object.keys(details).some((known) => field.startsWith(`${known}.`));
    if (!parent && !(field in details)) details[field] = `${error.message.toLowerCase()}, got ${kindOf(error.value)}`;
  }
  return details;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
