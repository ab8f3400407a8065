/**
 * Converts a host's payload to events of the journal: selects the captured kinds and actions, checks their fields and
 * removes all fields that are not kept.
 */
import type { TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import type { EventBody } from '../protocol/events.ts';
import {
  type HostRepository,
  type IssueCommentPayload,
  IssueCommentPayloadSchema,
  type IssuesPayload,
  IssuesPayloadSchema,
  type LabelPayload,
  LabelPayloadSchema,
  type PullRequestPayload,
  PullRequestPayloadSchema,
  type PushPayload,
  PushPayloadSchema,
  type RefPayload,
  RefPayloadSchema,
  type RepositoryPayload,
  RepositoryPayloadSchema,
  type ReviewCommentPayload,
  ReviewCommentPayloadSchema,
  type ReviewPayload,
  ReviewPayloadSchema,
} from '../protocol/host.ts';
import type { EventRepository } from '../protocol/repository.ts';
import { assertComplete } from './faults.ts';
import { installationSchemas } from './installations.ts';
import { minimiseIssue, minimisePull, minimisePush, minimiseRepository, minimiseTag } from './minimise.ts';
import { minimiseIssueComment, minimiseReview, minimiseReviewComment } from './minimise-comments.ts';
import { minimiseLabel, minimiseRef, minimiseRepositoryEvent } from './minimise-repository.ts';
import { time } from './text.ts';

/** The events of one delivery, in order. All belong to one repository. */
export interface Minimised {
  repository: EventRepository;
  bodies: EventBody[];
}

/** Describes how one kind of event is checked and reduced. `minimise` gets only payloads that have passed `check`. */
interface Capture {
  check: TypeCheck<TSchema>;
  captures: (payload: never) => boolean;
  minimise: (payload: never, repositoryUrl: string, now: number, event: string) => EventBody[];
}

const always = (): boolean => true;
const actions =
  (...wanted: string[]) =>
  (payload: { action?: unknown }): boolean =>
    typeof payload.action !== 'string' || wanted.includes(payload.action);

const review = {
  check: TypeCompiler.Compile(ReviewPayloadSchema),
  captures: actions('submitted', 'edited', 'dismissed', 'reviewed'),
  minimise: (payload: ReviewPayload, url, now, event) => [
    { event: 'pull_request', action: 'reviewed', pull: minimisePull(payload, url, now) },
    { event: 'comment', action: payload.action, comment: minimiseReview(payload, event, now) },
  ],
} satisfies Capture;

const refs = (deleted: boolean) =>
  ({
    check: TypeCompiler.Compile(RefPayloadSchema),
    captures: (payload: { ref_type?: unknown }) => payload.ref_type === undefined || payload.ref_type === 'tag',
    minimise: (payload: RefPayload, _, now) => [{ event: 'tag', tag: minimiseRef(payload, deleted, now) }],
  }) satisfies Capture;

/**
 * The captured events, by the host's names of the events. Entries with different names can produce events of the same
 * kind. For example, `create` and `push` both produce tags.
 */
const entries = {
  pull_request: {
    check: TypeCompiler.Compile(PullRequestPayloadSchema),
    captures: always,
    minimise: (payload: PullRequestPayload, url, now) => [
      { event: 'pull_request', action: payload.action, pull: minimisePull(payload, url, now) },
    ],
  },
  issues: {
    check: TypeCompiler.Compile(IssuesPayloadSchema),
    captures: always,
    minimise: (payload: IssuesPayload, url, now) => {
      const gone = payload.action === 'deleted' || payload.action === 'transferred';
      const seenAt = time(payload.issue.updated_at, now) ?? now;
      if (gone) return [{ event: 'issue_removed', number: payload.issue.number, seenAt }];
      return [{ event: 'issues', action: payload.action, issue: minimiseIssue(payload, url, now) }];
    },
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
  create: refs(false),
  delete: refs(true),
  issue_comment: {
    check: TypeCompiler.Compile(IssueCommentPayloadSchema),
    captures: actions('created', 'edited', 'deleted'),
    minimise: (payload: IssueCommentPayload, url, now) => {
      const comment: EventBody = {
        event: 'comment',
        action: payload.action,
        comment: minimiseIssueComment(payload, now),
        checks: true,
      };
      const { action, issue } = payload;
      // The payload of a comment on a pull request also contains an `issue`. This `issue` lacks the base and the merge
      // commit of the pull request and adds nothing new. So only the comment is returned.
      if (issue.pull_request || payload.is_pull || !issue.title) return [comment];
      const whole = { action, issue: { ...issue, title: issue.title } };
      return [{ event: 'issues', action: 'commented', issue: minimiseIssue(whole, url, now) }, comment];
    },
  },
  pull_request_review: review,
  pull_request_approved: review,
  pull_request_rejected: review,
  pull_request_comment: review,
  pull_request_review_comment: {
    check: TypeCompiler.Compile(ReviewCommentPayloadSchema),
    captures: actions('created', 'edited', 'deleted'),
    minimise: (payload: ReviewCommentPayload, url, now) => [
      { event: 'pull_request', action: 'reviewed', pull: minimisePull(payload, url, now) },
      { event: 'comment', action: payload.action, comment: minimiseReviewComment(payload, now) },
    ],
  },
  repository: {
    check: TypeCompiler.Compile(RepositoryPayloadSchema),
    captures: always,
    minimise: (payload: RepositoryPayload, _, now) => [minimiseRepositoryEvent(payload, now)],
  },
  label: {
    check: TypeCompiler.Compile(LabelPayloadSchema),
    captures: actions('edited', 'deleted'),
    minimise: (payload: LabelPayload, _, now) => {
      const change = minimiseLabel(payload, now);
      return change ? [change] : [];
    },
  },
} satisfies Readonly<Record<string, Capture>>;

/** The kinds of events that the `minimise` functions of the entries can return. */
type CapturedKind = ReturnType<(typeof entries)[keyof typeof entries]['minimise']>[number]['event'];

/**
 * Maps the host's name of an event to the entry that captures the event. This code compiles only if, for each kind of
 * event, at least one entry returns events of that kind. Without such an entry, events of that kind would never reach
 * the journal.
 */
const captures: Readonly<Record<string, Capture>> = entries satisfies Record<
  Exclude<EventBody['event'], CapturedKind>,
  Capture
>;

/**
 * The schemas of all events that are read, by the host's names of the events. No code may read a field of a payload that
 * its schema does not name, since such fields are not even parsed (`cut/payload.ts`).
 */
export const payloadSchemas: ReadonlyMap<string, TSchema> = new Map([
  ...Object.entries(captures).map(([event, { check }]): [string, TSchema] => [event, check.Schema()]),
  ...Object.entries(installationSchemas),
]);

/** Event names that may be used as a metric's label. */
export const knownEvents: ReadonlySet<string> = new Set([...payloadSchemas.keys(), 'ping']);

/**
 * Returns the captured events of a payload.
 * @param event the host's name of the event, from the request header
 * @param origin address of the host, such as `https://github.com`
 * @param now time of receipt, in milliseconds
 * @returns undefined when the event or its action is not captured
 * @throws ServiceError `invalid` naming every field that a captured event lacks
 */
export function toEvents(event: string, payload: object, origin: string, now: number): Minimised | undefined {
  const capture = Object.hasOwn(captures, event) ? captures[event] : undefined;
  if (!capture?.captures(payload as never)) return undefined;
  assertComplete(capture.check, payload);
  const repository = minimiseRepository((payload as { repository: HostRepository }).repository, origin);
  const bodies = capture.minimise(payload as never, repository.url, now, event);
  return bodies.length > 0 ? { repository, bodies } : undefined;
}
