/**
 * The host's payloads, as far as Tidings reads them: what a captured event must carry, and the optional fields it uses.
 * Everything else in a payload is neither checked nor kept. Names are the host's own.
 */
import { type Static, Type } from '@sinclair/typebox';

const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const optionalFlag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]));
const optionalTime = Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()]));
const optionalId = Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^\\d+$' }), Type.Null()]));
const number = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

export const HostUserSchema = Type.Optional(
  Type.Union([Type.Object({ login: Type.String(), id: optionalId, type: optionalText }), Type.Null()]),
);
export type HostUser = Static<typeof HostUserSchema>;

const HostLabels = Type.Optional(Type.Union([Type.Array(Type.Object({ name: Type.String() })), Type.Null()]));

export const HostRepositorySchema = Type.Object({
  id: optionalId,
  full_name: Type.String({ pattern: '^[^/\\s]+/[^/\\s]+$' }),
  private: optionalFlag,
  default_branch: optionalText,
  html_url: optionalText,
  pushed_at: optionalTime,
  owner: HostUserSchema,
});
export type HostRepository = Static<typeof HostRepositorySchema>;

const HostBranch = Type.Optional(Type.Union([Type.Object({ ref: optionalText }), Type.Null()]));

export const PullRequestPayloadSchema = Type.Object({
  action: Type.String(),
  pull_request: Type.Object({
    number,
    title: Type.String({ minLength: 1 }),
    body: optionalText,
    state: optionalText,
    merged: optionalFlag,
    merged_at: optionalTime,
    merge_commit_sha: optionalText,
    created_at: optionalTime,
    updated_at: optionalTime,
    closed_at: optionalTime,
    html_url: optionalText,
    user: HostUserSchema,
    labels: HostLabels,
    base: HostBranch,
    head: HostBranch,
  }),
  repository: HostRepositorySchema,
});
export type PullRequestPayload = Static<typeof PullRequestPayloadSchema>;

export const IssuesPayloadSchema = Type.Object({
  action: Type.String(),
  issue: Type.Object({
    number,
    title: Type.String({ minLength: 1 }),
    body: optionalText,
    state: optionalText,
    state_reason: optionalText,
    created_at: optionalTime,
    updated_at: optionalTime,
    closed_at: optionalTime,
    html_url: optionalText,
    user: HostUserSchema,
    labels: HostLabels,
    pull_request: Type.Optional(Type.Unknown()),
  }),
  repository: HostRepositorySchema,
});
export type IssuesPayload = Static<typeof IssuesPayloadSchema>;

export const HostCommitSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  message: optionalText,
  timestamp: optionalTime,
  author: Type.Optional(Type.Union([Type.Object({ username: optionalText }), Type.Null()])),
});
export type HostCommit = Static<typeof HostCommitSchema>;

export const PushPayloadSchema = Type.Object({
  ref: Type.String({ pattern: '^refs/' }),
  before: Type.String({ minLength: 1 }),
  after: Type.String({ minLength: 1 }),
  created: optionalFlag,
  deleted: optionalFlag,
  forced: optionalFlag,
  base_ref: optionalText,
  total_commits: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  commits: Type.Optional(Type.Union([Type.Array(HostCommitSchema), Type.Null()])),
  head_commit: Type.Optional(Type.Union([HostCommitSchema, Type.Null()])),
  repository: HostRepositorySchema,
});
export type PushPayload = Static<typeof PushPayloadSchema>;
