/**
 * The host's payloads, as far as Tidings reads them: what a captured event must carry, and the optional fields it uses.
 * Everything else in a payload is neither checked nor kept. Names are the host's own.
 */
import { type Static, Type } from '@sinclair/typebox';

/** Longest names in UTF-16 units, far beyond what hosts allow: keys of stored records have room for 1,978 bytes. */
const longest = { login: 255, fullName: 255, ref: 512, action: 64 } as const;
/** Most labels of one issue or pull request; hosts allow 100. */
const mostLabels = 1000;

const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const optionalFlag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]));
const optionalTime = Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()]));
const digits = Type.String({ pattern: '^\\d{1,20}$' });
/** A host's number for a thing. Beyond 2^53 it arrives as its digits, since a number would lose some. */
const hostNumber = Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), digits]);
const optionalId = Type.Optional(Type.Union([...hostNumber.anyOf, Type.Null()]));
const ref = Type.String({ minLength: 1, maxLength: longest.ref });
const optionalRef = Type.Optional(Type.Union([Type.String({ maxLength: longest.ref }), Type.Null()]));
const sha = Type.String({ pattern: '^[0-9a-fA-F]{1,64}$' });
const optionalSha = Type.Optional(Type.Union([Type.String({ pattern: '^[0-9a-fA-F]{0,64}$' }), Type.Null()]));
const action = Type.String({ maxLength: longest.action });
/**
 * What no part of a repository's name holds on any host: blanks, slashes, markup, lone surrogates, and characters that do not
 * show or turn the direction of writing. Names become parts of addresses, keys and pages.
 */
const unnamed =
  '/\\s<>"`\\\\\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ud800-\\udfff';
/** The login of an owner, which decides about rights: a delivery with one that no host has is refused. */
const login = Type.String({ minLength: 1, maxLength: longest.login, pattern: `^[^${unnamed}]+$` });
const number = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

/**
 * Whether a login is of the form that hosts give: letters, digits, `-`, `_` and `.`, with `[bot]` behind it for an app. A person
 * with another login counts as unknown; the delivery is captured all the same.
 */
export function isHostLogin(text: string): boolean {
  return /^[\w.-]{1,255}(?:\[bot\])?$/.test(text) && /[A-Za-z0-9]/.test(text);
}

/** A person. Their login is taken in any form here, and judged where the person is kept. */
export const HostUserSchema = Type.Optional(
  Type.Union([
    Type.Object({ login: Type.String({ maxLength: longest.login }), id: optionalId, type: optionalText }),
    Type.Null(),
  ]),
);
export type HostUser = Static<typeof HostUserSchema>;

const HostOwnerSchema = Type.Optional(
  Type.Union([Type.Object({ login, id: optionalId, type: optionalText }), Type.Null()]),
);

export const HostLabelsSchema = Type.Optional(
  Type.Union([Type.Array(Type.Object({ name: Type.String() }), { maxItems: mostLabels }), Type.Null()]),
);
export type HostLabels = Static<typeof HostLabelsSchema>;

export const HostRepositorySchema = Type.Object({
  id: optionalId,
  full_name: Type.String({
    pattern: `^[^${unnamed}]+/[^${unnamed}]+$`,
    maxLength: longest.fullName,
  }),
  private: optionalFlag,
  default_branch: optionalRef,
  html_url: optionalText,
  pushed_at: optionalTime,
  owner: HostOwnerSchema,
});
export type HostRepository = Static<typeof HostRepositorySchema>;

const HostBranch = Type.Optional(Type.Union([Type.Object({ ref: optionalRef }), Type.Null()]));

export const PullRequestPayloadSchema = Type.Object({
  action,
  pull_request: Type.Object({
    number,
    title: Type.String({ minLength: 1 }),
    body: optionalText,
    state: optionalText,
    merged: optionalFlag,
    merged_at: optionalTime,
    merge_commit_sha: optionalSha,
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
  action,
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
  id: sha,
  message: optionalText,
  timestamp: optionalTime,
  author: Type.Optional(
    Type.Union([
      Type.Object({
        username: Type.Optional(Type.Union([Type.String({ maxLength: longest.login }), Type.Null()])),
      }),
      Type.Null(),
    ]),
  ),
});
export type HostCommit = Static<typeof HostCommitSchema>;

export const PushPayloadSchema = Type.Object({
  ref: Type.String({ pattern: '^refs/', maxLength: longest.ref }),
  before: sha,
  after: sha,
  created: optionalFlag,
  deleted: optionalFlag,
  forced: optionalFlag,
  base_ref: optionalRef,
  total_commits: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  size: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  commits: Type.Optional(Type.Union([Type.Array(HostCommitSchema), Type.Null()])),
  head_commit: Type.Optional(Type.Union([HostCommitSchema, Type.Null()])),
  repository: HostRepositorySchema,
});
export type PushPayload = Static<typeof PushPayloadSchema>;

const commentFields = {
  id: Type.Union([hostNumber.anyOf[0], Type.String({ pattern: '^[\\w-]{1,64}$' })]),
  body: optionalText,
  user: HostUserSchema,
  created_at: optionalTime,
  updated_at: optionalTime,
};

/** A comment in the discussion of an issue or of a pull request, which it may name by its number alone. */
export const IssueCommentPayloadSchema = Type.Object({
  action,
  comment: Type.Object(commentFields),
  issue: Type.Composite([
    Type.Omit(IssuesPayloadSchema.properties.issue, ['title']),
    Type.Object({ title: optionalText }),
  ]),
  is_pull: optionalFlag,
  repository: HostRepositorySchema,
});
export type IssueCommentPayload = Static<typeof IssueCommentPayloadSchema>;

/** A review as a whole. Gitea's has neither id nor state nor time. */
export const ReviewPayloadSchema = Type.Object({
  action,
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
  action,
  comment: Type.Object(commentFields),
  pull_request: PullRequestPayloadSchema.properties.pull_request,
  repository: HostRepositorySchema,
});
export type ReviewCommentPayload = Static<typeof ReviewCommentPayloadSchema>;

/** A branch or tag made or deleted. Only Gitea says where it points. */
export const RefPayloadSchema = Type.Object({
  ref,
  ref_type: Type.String(),
  sha: optionalSha,
  repository: HostRepositorySchema,
});
export type RefPayload = Static<typeof RefPayloadSchema>;

/** What became of a repository as a whole. */
export const RepositoryPayloadSchema = Type.Object({
  action,
  changes: Type.Optional(
    Type.Object({
      repository: Type.Optional(
        Type.Object({ name: Type.Optional(Type.Object({ from: Type.String({ maxLength: longest.fullName }) })) }),
      ),
      default_branch: Type.Optional(Type.Object({ from: optionalRef })),
      owner: Type.Optional(
        Type.Object({
          from: Type.Optional(Type.Object({ user: HostOwnerSchema, organization: HostOwnerSchema })),
        }),
      ),
    }),
  ),
  repository: Type.Composite([HostRepositorySchema, Type.Object({ updated_at: optionalTime, archived: optionalFlag })]),
});
export type RepositoryPayload = Static<typeof RepositoryPayloadSchema>;

/** A label renamed or removed: no event of its own comes for each issue that carries it. */
export const LabelPayloadSchema = Type.Object({
  action,
  label: Type.Object({ id: optionalId, name: Type.String({ minLength: 1 }) }),
  changes: Type.Optional(Type.Object({ name: Type.Optional(Type.Object({ from: Type.String({ minLength: 1 }) })) })),
  repository: HostRepositorySchema,
});
export type LabelPayload = Static<typeof LabelPayloadSchema>;

const InstalledRepositoriesSchema = Type.Optional(
  Type.Union([
    Type.Array(
      Type.Object({
        id: hostNumber,
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
  action,
  installation: Type.Object({
    id: hostNumber,
    account: Type.Object({ login, id: hostNumber }),
  }),
  repositories: InstalledRepositoriesSchema,
  repositories_added: InstalledRepositoriesSchema,
  repositories_removed: InstalledRepositoriesSchema,
});
export type InstallationPayload = Static<typeof InstallationPayloadSchema>;

/** The owner that an app is installed for was renamed. */
export const InstallationTargetPayloadSchema = Type.Object({
  action,
  installation: Type.Object({ id: hostNumber }),
  account: Type.Object({ login, id: hostNumber }),
});
export type InstallationTargetPayload = Static<typeof InstallationTargetPayloadSchema>;
