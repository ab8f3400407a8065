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

export const HostLabelsSchema = Type.Optional(
  Type.Union([Type.Array(Type.Object({ name: Type.String() })), Type.Null()]),
);
export type HostLabels = Static<typeof HostLabelsSchema>;

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
    labels: HostLabelsSchema,
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
    labels: HostLabelsSchema,
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

const commentFields = {
  id: Type.Union([Type.Integer(), Type.String({ minLength: 1 })]),
  body: optionalText,
  user: HostUserSchema,
  created_at: optionalTime,
  updated_at: optionalTime,
};

/** A comment in the discussion of an issue or of a pull request. */
export const IssueCommentPayloadSchema = Type.Object({
  action: Type.String(),
  comment: Type.Object(commentFields),
  issue: IssuesPayloadSchema.properties.issue,
  is_pull: optionalFlag,
  repository: HostRepositorySchema,
});
export type IssueCommentPayload = Static<typeof IssueCommentPayloadSchema>;

/** A review as a whole. Gitea's has neither id nor state nor time. */
export const ReviewPayloadSchema = Type.Object({
  action: Type.String(),
  review: Type.Object({
    ...commentFields,
    id: Type.Optional(commentFields.id),
    content: optionalText,
    type: optionalText,
    state: optionalText,
    submitted_at: optionalTime,
  }),
  pull_request: PullRequestPayloadSchema.properties.pull_request,
  sender: HostUserSchema,
  repository: HostRepositorySchema,
});
export type ReviewPayload = Static<typeof ReviewPayloadSchema>;

/** A comment on a line of a pull request's changes; the line itself is source code and never read. */
export const ReviewCommentPayloadSchema = Type.Object({
  action: Type.String(),
  comment: Type.Object(commentFields),
  pull_request: PullRequestPayloadSchema.properties.pull_request,
  repository: HostRepositorySchema,
});
export type ReviewCommentPayload = Static<typeof ReviewCommentPayloadSchema>;

/** A branch or tag made or deleted. Only Gitea says where it points. */
export const RefPayloadSchema = Type.Object({
  ref: Type.String({ minLength: 1 }),
  ref_type: Type.String(),
  sha: optionalText,
  repository: HostRepositorySchema,
});
export type RefPayload = Static<typeof RefPayloadSchema>;

/** What became of a repository as a whole. */
export const RepositoryPayloadSchema = Type.Object({
  action: Type.String(),
  changes: Type.Optional(
    Type.Object({
      repository: Type.Optional(Type.Object({ name: Type.Optional(Type.Object({ from: Type.String() })) })),
      owner: Type.Optional(
        Type.Object({
          from: Type.Optional(Type.Object({ user: HostUserSchema, organization: HostUserSchema })),
        }),
      ),
    }),
  ),
  repository: Type.Composite([HostRepositorySchema, Type.Object({ updated_at: optionalTime, archived: optionalFlag })]),
});
export type RepositoryPayload = Static<typeof RepositoryPayloadSchema>;

/** A label renamed or removed: no event of its own comes for each issue that carries it. */
export const LabelPayloadSchema = Type.Object({
  action: Type.String(),
  label: Type.Object({ name: Type.String({ minLength: 1 }) }),
  changes: Type.Optional(Type.Object({ name: Type.Optional(Type.Object({ from: Type.String({ minLength: 1 }) })) })),
  repository: HostRepositorySchema,
});
export type LabelPayload = Static<typeof LabelPayloadSchema>;

const InstalledRepositoriesSchema = Type.Optional(
  Type.Union([
    Type.Array(
      Type.Object({
        id: Type.Union([Type.Integer(), Type.String({ pattern: '^\\d+$' })]),
        full_name: HostRepositorySchema.properties.full_name,
        private: optionalFlag,
      }),
    ),
    Type.Null(),
  ]),
);
export type InstalledRepositories = Static<typeof InstalledRepositoriesSchema>;

/** An app installed, removed, suspended, or given other repositories, by the owner it is installed for. */
export const InstallationPayloadSchema = Type.Object({
  action: Type.String(),
  installation: Type.Object({
    id: Type.Union([Type.Integer(), Type.String({ pattern: '^\\d+$' })]),
    account: Type.Object({ login: Type.String({ minLength: 1 }), id: Type.Integer() }),
  }),
  repositories: InstalledRepositoriesSchema,
  repositories_added: InstalledRepositoriesSchema,
  repositories_removed: InstalledRepositoriesSchema,
});
export type InstallationPayload = Static<typeof InstallationPayloadSchema>;

/** The owner that an app is installed for was renamed. */
export const InstallationTargetPayloadSchema = Type.Object({
  action: Type.String(),
  installation: Type.Object({ id: Type.Union([Type.Integer(), Type.String({ pattern: '^\\d+$' })]) }),
  account: Type.Object({ login: Type.String({ minLength: 1 }), id: Type.Integer() }),
});
export type InstallationTargetPayload = Static<typeof InstallationTargetPayloadSchema>;
