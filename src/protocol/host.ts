/**
 * The host's payloads, as far as Tidings reads them: the required fields of captured events, and the optional fields
 * that Tidings uses. Everything else in a payload is neither checked nor kept. The field names are those of the host.
 */
import { type Static, Type } from '@sinclair/typebox';
import { maxNumber } from './limits.ts';

/**
 * Maximum lengths of names, in UTF-16 units. All hosts have much lower maximums. The maximums here are needed because
 * keys of stored records have room for 1,978 bytes only.
 */
const maxLengths = { login: 255, fullName: 255, ref: 512, action: 64 } as const;
/** Maximum number of labels of an issue or pull request. Hosts allow 100. */
const maxLabels = 1000;

const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const optionalFlag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]));
const optionalTime = Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()]));
const digits = Type.String({ pattern: '^\\d{1,20}$' });
/**
 * A number that the host gives an object. A number above 2^53 arrives as a string of digits, since a JSON number of
 * that size would lose digits.
 */
const hostNumber = Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), digits]);
const optionalId = Type.Optional(Type.Union([...hostNumber.anyOf, Type.Null()]));
const ref = Type.String({ minLength: 1, maxLength: maxLengths.ref });
const optionalRef = Type.Optional(Type.Union([Type.String({ maxLength: maxLengths.ref }), Type.Null()]));
const sha = Type.String({ pattern: '^[0-9a-fA-F]{1,64}$' });
const optionalSha = Type.Optional(Type.Union([Type.String({ pattern: '^[0-9a-fA-F]{0,64}$' }), Type.Null()]));
const action = Type.String({ maxLength: maxLengths.action });
/** A field that may have any value. The intake reads it itself and drops values that it does not know. */
const unchecked = Type.Optional(Type.Unknown());
/**
 * Characters that no host allows in the parts of a repository's name: blanks, slashes, markup, lone surrogates, and
 * characters that are invisible or change the writing direction. Names become parts of addresses, keys and pages.
 */
const unnamed =
  '/\\s<>"`\\\\\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ud800-\\udfff';
/**
 * The login of an owner. Access depends on the login, so a delivery is refused if the login contains a character that
 * no host allows.
 */
const login = Type.String({ minLength: 1, maxLength: maxLengths.login, pattern: `^[^${unnamed}]+$` });
const number = Type.Integer({ minimum: 1, maximum: maxNumber });

/**
 * Whether a login has the form that hosts use: letters, digits, `-`, `_` and `.`, with `[bot]` at the end for an app. A
 * person whose login has another form counts as unknown, but the delivery is still captured.
 */
export function isHostLogin(text: string): boolean {
  return /^[\w.-]{1,255}(?:\[bot\])?$/.test(text) && /[A-Za-z0-9]/.test(text);
}

/** A person. Any login is accepted here. The form of the login is checked where the person is stored. */
export const HostUserSchema = Type.Optional(
  Type.Union([
    Type.Object({ login: Type.String({ maxLength: maxLengths.login }), id: optionalId, type: optionalText }),
    Type.Null(),
  ]),
);
export type HostUser = Static<typeof HostUserSchema>;

const HostOwnerSchema = Type.Optional(
  Type.Union([Type.Object({ login, id: optionalId, type: optionalText }), Type.Null()]),
);

export const HostLabelsSchema = Type.Optional(
  Type.Union([Type.Array(Type.Object({ name: Type.String() }), { maxItems: maxLabels }), Type.Null()]),
);
export type HostLabels = Static<typeof HostLabelsSchema>;

export const HostRepositorySchema = Type.Object({
  id: optionalId,
  full_name: Type.String({
    pattern: `^[^${unnamed}]+/[^${unnamed}]+$`,
    maxLength: maxLengths.fullName,
  }),
  private: optionalFlag,
  default_branch: optionalRef,
  html_url: optionalText,
  pushed_at: optionalTime,
  owner: HostOwnerSchema,
});
export type HostRepository = Static<typeof HostRepositorySchema>;

const HostBranch = Type.Optional(Type.Union([Type.Object({ ref: optionalRef }), Type.Null()]));
const HostHead = Type.Optional(Type.Union([Type.Object({ ref: optionalRef, sha: unchecked }), Type.Null()]));

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
    head: HostHead,
    author_association: unchecked,
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
    pull_request: unchecked,
    reactions: unchecked,
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
        username: Type.Optional(Type.Union([Type.String({ maxLength: maxLengths.login }), Type.Null()])),
      }),
      Type.Null(),
    ]),
  ),
});
export type HostCommit = Static<typeof HostCommitSchema>;

export const PushPayloadSchema = Type.Object({
  ref: Type.String({ pattern: '^refs/', maxLength: maxLengths.ref }),
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
  author_association: unchecked,
};

/**
 * A comment in the discussion of an issue or pull request. The payload may identify the issue or pull request by its
 * number only.
 */
export const IssueCommentPayloadSchema = Type.Object({
  action,
  comment: Type.Object(commentFields),
  issue: Type.Composite([
    Type.Omit(IssuesPayloadSchema.properties.issue, ['title']),
    Type.Object({ title: optionalText }),
  ]),
  is_pull: optionalFlag,
  sender: HostUserSchema,
  /** Only Gitea sends `permissions`. They are those of the sender. */
  repository: Type.Composite([HostRepositorySchema, Type.Object({ permissions: unchecked })]),
});
export type IssueCommentPayload = Static<typeof IssueCommentPayloadSchema>;

/** A review as a whole. A review from Gitea has no id, state or time. */
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

/** A comment on a line of a pull request's changes. The line itself is source code and is never read. */
export const ReviewCommentPayloadSchema = Type.Object({
  action,
  comment: Type.Object(commentFields),
  pull_request: PullRequestPayloadSchema.properties.pull_request,
  repository: HostRepositorySchema,
});
export type ReviewCommentPayload = Static<typeof ReviewCommentPayloadSchema>;

/** A branch or tag that was created or deleted. Only Gitea sends the commit that the branch or tag points to. */
export const RefPayloadSchema = Type.Object({
  ref,
  ref_type: Type.String(),
  sha: optionalSha,
  repository: HostRepositorySchema,
});
export type RefPayload = Static<typeof RefPayloadSchema>;

/** A change of the repository as a whole. */
export const RepositoryPayloadSchema = Type.Object({
  action,
  changes: Type.Optional(
    Type.Object({
      repository: Type.Optional(
        Type.Object({ name: Type.Optional(Type.Object({ from: Type.String({ maxLength: maxLengths.fullName }) })) }),
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

/** A label was renamed or deleted. The host sends no separate event for each issue with that label. */
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

/**
 * An app was installed, removed or suspended for an owner, or the owner has changed the repositories that the app may
 * access.
 */
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

/** An owner was renamed, and an app is installed for this owner. */
export const InstallationTargetPayloadSchema = Type.Object({
  action,
  installation: Type.Object({ id: hostNumber }),
  account: Type.Object({ login, id: hostNumber }),
});
export type InstallationTargetPayload = Static<typeof InstallationTargetPayloadSchema>;
