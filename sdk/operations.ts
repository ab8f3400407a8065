/**
 * Shapes and operations of the API. Made by sdk/generate.ts from the OpenAPI document; not to be edited.
 */

export type Automation = { onTag: { pattern: string; personas: readonly ('engineer' | 'internal' | 'customer')[]; publish: readonly ({ channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; persona: 'engineer' | 'internal' | 'customer'; draft?: boolean })[] } | null; unreleased: { branch?: string; personas: readonly ('engineer' | 'internal' | 'customer')[]; refreshMinutes: number } | null; setAt: string | null; problem: string | null; runs: readonly ({ tag: string; startedAt: string; endedAt: string | null; status: 'running' | 'completed' | 'failed' | 'skipped'; rangeId: string | null; publications: readonly ({ channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; persona: 'engineer' | 'internal' | 'customer'; draft: boolean; publicationId: string | null; error: string | null })[]; problem: string | null })[] };

export type Backfill = { id: string; repoId: string; state: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'; phase: string | null; percent: number; since: string | null; counts: { [name: string]: number }; waits: { count: number; seconds: number; until: string | null }; error?: string; startedAt: string; updatedAt: string; finishedAt: string | null };

export type BackfillCompletedEvent = { event: 'backfill.completed'; timestamp: string; data: { repoId: string; backfillId: string; status: 'completed' | 'failed' | 'cancelled'; since: string | null; counts: { [name: string]: number }; error: string | null } };

export type Change = { kind: 'pull' | 'issue' | 'commit'; number?: number; sha?: string; title: string; included: boolean; reason: 'listed' | 'backport' | 'cherryPicked' | 'dependency' | 'revert' | 'partialRevert' | 'restored' | 'linked' | 'closed' | 'direct' | 'foreign' | 'reverted' | 'reverts' | 'shipped' | 'release' | 'routine' | 'own' | 'label' | 'command' | 'author' | 'unmerged' | 'branch' | 'afterCut' | 'open' | 'unresolved' | 'unlisted' | 'notCaptured'; detail?: string; section?: 'breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other' | 'reverted' | 'issues' | 'commits' | 'dependencies'; kindBy?: 'command' | 'label' | 'advisory' | 'note' | 'prefix' | 'issue' | 'box' | 'branch' | 'verb'; mayBreak?: true; method: 'mergeCommit' | 'subject' | 'window' | 'date' | 'number' | 'link' | 'commit' };

export type Channel = { channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; connected: boolean; source: 'repository' | 'organization' | 'default' | null; public: boolean; settings: { [name: string]: unknown }; hasSecret: { [name: string]: boolean }; createdAt: string | null; updatedAt: string | null };

export type Comment = { kind: 'discussion' | 'review' | 'review_comment'; id: string; author: { handle: string; bot: boolean }; body: string; state: string | null; association: 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'FIRST_TIME_CONTRIBUTOR' | 'FIRST_TIMER' | 'MANNEQUIN' | 'NONE' | null; createdAt: string | null; updatedAt: string };

export type DateRange = { type: 'DATE_BASED'; repoId: string; fromDate: string; toDate: string; timeZone?: string };

export type DeletedWebhookEndpoint = { id: string; deletedAt: string };

export type Draft = { id: string; releaseRangeId: string; persona: 'engineer' | 'internal' | 'customer'; status: 'ready' | 'processing' | 'failed'; revision: number; bodyMd: string; flags: { highlights: readonly (string)[]; contributors: readonly (string)[]; upgradeInstructions: string }; conflicts: readonly ({ id: string; number: number | null; sha: string | null; text: string; reason: 'reverted' | 'reverts' | 'label' | 'command' | 'author' | 'shipped' | 'release' | 'routine' | 'own' | 'joined' | 'note' | 'unlisted' | 'open' | 'unresolved' | 'range' | 'other'; detail: string | null })[]; outdated: boolean; outdatedBecause: readonly ({ number?: number; sha?: string; what: 'merged' | 'label' | 'command' | 'edited' | 'reverted' | 'removed' | 'issue' | 'tag' | 'settings' | 'other' })[]; error?: string; createdAt: string; updatedAt: string };

export type DraftEntry = { marker: string | null; heading: string; area: string | null; text: string; source: 'note' | 'issue' | 'title' | 'person'; numbers: readonly (number)[]; shas: readonly (string)[]; kind: 'breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other' | 'reverted' | 'issues' | 'commits' | 'dependencies' | null; kindBy: 'command' | 'label' | 'advisory' | 'note' | 'prefix' | 'issue' | 'box' | 'branch' | 'verb' | null; reason: 'listed' | 'backport' | 'cherryPicked' | 'dependency' | 'revert' | 'partialRevert' | 'restored' | 'linked' | 'closed' | 'direct' | 'foreign' | 'reverted' | 'reverts' | 'shipped' | 'release' | 'routine' | 'own' | 'label' | 'command' | 'author' | 'unmerged' | 'branch' | 'afterCut' | 'open' | 'unresolved' | 'unlisted' | 'notCaptured' | null };

export type DraftGeneratedEvent = { event: 'draft.generated'; timestamp: string; data: { draftId: string; persona: 'engineer' | 'internal' | 'customer'; releaseRangeId: string } };

export type DraftOutdatedEvent = { event: 'draft.outdated'; timestamp: string; data: { draftId: string; persona: 'engineer' | 'internal' | 'customer'; releaseRangeId: string; because: readonly ({ number?: number; sha?: string; what: 'merged' | 'label' | 'command' | 'edited' | 'reverted' | 'removed' | 'issue' | 'tag' | 'settings' | 'other' })[] } };

export type DraftPublishedEvent = { event: 'draft.published'; timestamp: string; data: { draftId: string; persona: 'engineer' | 'internal' | 'customer'; releaseRangeId: string; publicationId: string; channel: string; url: string | null } };

export type DraftRestore = { id: string; revision: number; updatedAt: string; bodyMd: string; conflicts: readonly ({ id: string; number: number | null; sha: string | null; text: string; reason: 'reverted' | 'reverts' | 'label' | 'command' | 'author' | 'shipped' | 'release' | 'routine' | 'own' | 'joined' | 'note' | 'unlisted' | 'open' | 'unresolved' | 'range' | 'other'; detail: string | null })[]; flags?: { highlights: readonly (string)[]; contributors: readonly (string)[]; upgradeInstructions: string } };

export type DraftUpdate = { id: string; bodyMd: string; flags?: { highlights: readonly (string)[]; contributors: readonly (string)[]; upgradeInstructions: string }; conflicts: readonly ({ id: string; number: number | null; sha: string | null; text: string; reason: 'reverted' | 'reverts' | 'label' | 'command' | 'author' | 'shipped' | 'release' | 'routine' | 'own' | 'joined' | 'note' | 'unlisted' | 'open' | 'unresolved' | 'range' | 'other'; detail: string | null })[]; updatedAt: string };

export type EndpointTestEvent = { event: 'endpoint.test'; timestamp: string; data: { endpointId: string } };

export type ErrorBody = { error: string; message: string; details?: { [name: string]: string }; retryAfter?: number };

export type FirstReleaseRange = { type: 'FIRST_RELEASE'; repoId: string; toTag: string };

export type HostApp = { origin: string; id: string; slug: string; name: string; url: string; installUrl: string; secretId: string; createdAt: string };

export type Issue = { comments: readonly (Comment)[]; total: number; hasMore: boolean; nextOffset: number | null; body: string; repoId: string; number: number; title: string; labels: readonly (string)[]; author: { handle: string; bot: boolean }; createdAt: string | null; updatedAt: string; closedAt: string | null; url: string; reactions: number; state: 'open' | 'closed'; stateReason: string | null };

export type Key = { id: string; name: string; prefix: 'rn_live_' | 'rn_test_'; last4: string; orgId: string | null; scopes: readonly ('drafts:read' | 'drafts:write' | 'ranges:read' | 'ranges:write' | 'repos:read' | 'repos:write' | 'publish:write' | 'stats:read' | 'orgs:read' | 'orgs:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | '*')[]; status: 'active' | 'expired' | 'revoked'; createdAt: string; createdBy: string | null; lastUsedAt: string | null; expiresAt: string | null; revokedAt: string | null; rotatedTo: string | null; rotateBy: string; reminder: string | null; endedWith: string | null };

export type ListedIssue = { repoId: string; number: number; title: string; labels: readonly (string)[]; author: { handle: string; bot: boolean }; createdAt: string | null; updatedAt: string; closedAt: string | null; url: string; reactions: number; state: 'open' | 'closed'; stateReason: string | null };

export type ListedPullRequest = { repoId: string; number: number; title: string; labels: readonly (string)[]; author: { handle: string; bot: boolean }; createdAt: string | null; updatedAt: string; closedAt: string | null; url: string; reactions: number; state: 'open' | 'closed' | 'merged'; mergedAt: string | null; mergeSha: string | null; baseBranch: string | null; headBranch: string | null; linkedIssues: readonly (number)[] };

export type LiveEvent = { event: 'repo.event'; data: { repoId: string; event?: 'pull_request' | 'issues' | 'comment' | 'push' | 'tag' | 'label' | 'repository'; position?: string } } | { event: 'range.counts'; data: { repoId: string; rangeId: string; counts: { prCount: number; issueCount: number; resolution: 'compare' | 'commits' | 'window' }; position?: string } } | { event: 'draft.status'; data: { repoId: string; rangeId: string; draftId: string; persona: 'engineer' | 'internal' | 'customer'; status: 'processing' | 'ready' | 'failed'; revision: number; outdated: boolean; position?: string } } | { event: 'publication.status'; data: { repoId: string; draftId: string; publicationId: string; channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; status: 'pending' | 'processing' | 'completed' | 'failed' | 'deleted'; position?: string } } | { event: 'backfill.progress'; data: { repoId: string; backfillId: string; state: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'; percent: number; counts: { [name: string]: number }; position?: string } } | { event: 'delivery.refused'; data: { reason: 'wrong_signature' | 'no_signature' | 'form_body' | 'foreign' | 'malformed' | 'too_large' | 'limited' | 'not_allowed'; position?: string } } | { event: 'reset'; data: { position?: string } };

export type NewKey = { id: string; name: string; prefix: 'rn_live_' | 'rn_test_'; last4: string; orgId: string | null; scopes: readonly ('drafts:read' | 'drafts:write' | 'ranges:read' | 'ranges:write' | 'repos:read' | 'repos:write' | 'publish:write' | 'stats:read' | 'orgs:read' | 'orgs:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | '*')[]; status: 'active' | 'expired' | 'revoked'; createdAt: string; createdBy: string | null; lastUsedAt: string | null; expiresAt: string | null; revokedAt: string | null; rotatedTo: string | null; rotateBy: string; reminder: string | null; endedWith: string | null; key: string };

export type NewWebhookEndpoint = { id: string; orgId: string; url: string; description: string; events: readonly ('draft.generated' | 'draft.published' | 'draft.outdated' | 'range.created' | 'range.changed' | 'publication.failed' | 'backfill.completed' | 'repository.connected' | 'repository.disconnected')[]; personas?: readonly ('engineer' | 'internal' | 'customer')[]; channels?: readonly ('scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email')[]; repositories?: readonly (string)[]; enabled: boolean; disabledReason: 'user' | 'gone' | 'failing' | null; disabledAt: string | null; failingSince: string | null; overlapEndsAt: string | null; createdAt: string; updatedAt: string; secret: string };

export type NewWebhookSecret = { id: string; name: string; host: string; orgId: string | null; createdAt: string; rotatedAt: string | null; overlapEndsAt: string | null; secret?: string };

export type NotesSettings = { order: readonly ('breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other' | 'reverted' | 'issues' | 'commits' | 'dependencies')[]; titles: { breaking: string; feature: string; fix: string; security: string; performance: string; documentation: string; other: string; reverted: string; issues: string; commits: string; dependencies: string }; labels: { [name: string]: { type?: 'breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'dependency' | 'internal'; area?: string; priority?: boolean; highlight?: boolean; skip?: boolean } }; excludedLabels: readonly (string)[]; excludedAuthors: readonly (string)[]; readVerbs: boolean; hiddenAreas: readonly (string)[]; links: 'full' | 'short'; strictPublishing: boolean; nextVersion: { bump: 'auto' | 'major' | 'minor' | 'patch'; labels: { [name: string]: 'major' | 'minor' | 'patch' | 'none' } }; noteCheck: { mode: 'off' | 'inform' | 'require'; need: readonly ('type' | 'area' | 'note')[]; noteFor: readonly ('breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other')[]; exempt: { authors: readonly (string)[]; labels: readonly (string)[] }; comment: boolean }; engineer: { contributors: boolean; newContributors: boolean; directCommits: boolean; closedIssues: boolean; dependencies: boolean }; internal: { risks: boolean; closedIssues: boolean }; customer: { bullets: number; closedIssues: boolean; titles: { breaking: string; security: string; new: string; improved: string; fixed: string } } };

export type Organization = { id: string; login: string; host: string; tier: string; refuseInternalOnPublicChannels: boolean; keepPublishedAfterUninstall: boolean; createdAt: string };

export type Publication = { id: string; status: 'pending' | 'processing' | 'completed' | 'failed'; url: string | null; publishedAt: string | null; draftId: string; revision: number; channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; draft: boolean; error: string | null; outcomeUnknown: boolean; attempts: readonly ({ at: string; endedAt: string | null; error: string | null })[]; nextAttemptAt: string | null; counts: { [name: string]: number }; warnings: readonly ({ kind: 'conflict'; id: string; number: number | null; sha: string | null; text: string; reason: 'reverted' | 'reverts' | 'label' | 'command' | 'author' | 'shipped' | 'release' | 'routine' | 'own' | 'joined' | 'note' | 'unlisted' | 'open' | 'unresolved' | 'range' | 'other'; detail: string | null } | { kind: 'outdated'; because: readonly ({ number?: number; sha?: string; what: 'merged' | 'label' | 'command' | 'edited' | 'reverted' | 'removed' | 'issue' | 'tag' | 'settings' | 'other' })[] })[]; outdated: boolean; outdatedBecause: readonly ({ number?: number; sha?: string; what: 'merged' | 'label' | 'command' | 'edited' | 'reverted' | 'removed' | 'issue' | 'tag' | 'settings' | 'other' | 'generated' })[]; createdAt: string; updatedAt: string };

export type PublicationFailedEvent = { event: 'publication.failed'; timestamp: string; data: { draftId: string; persona: 'engineer' | 'internal' | 'customer'; releaseRangeId: string; repoId: string; publicationId: string; channel: string; error: string; outcomeUnknown: boolean; attempts: number; replacedBy: string | null } };

export type PullNote = { number: number; verdict: { state: 'success' | 'failure' | 'neutral'; missing: readonly ('type' | 'area' | 'note')[]; message: string }; included: boolean; reason: 'listed' | 'backport' | 'cherryPicked' | 'dependency' | 'revert' | 'partialRevert' | 'restored' | 'linked' | 'closed' | 'direct' | 'foreign' | 'reverted' | 'reverts' | 'shipped' | 'release' | 'routine' | 'own' | 'label' | 'command' | 'author' | 'unmerged' | 'branch' | 'afterCut' | 'open' | 'unresolved' | 'unlisted' | 'notCaptured'; detail?: string; section?: 'breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other' | 'reverted' | 'issues' | 'commits' | 'dependencies'; kindBy?: 'command' | 'label' | 'advisory' | 'note' | 'prefix' | 'issue' | 'box' | 'branch' | 'verb'; lines: { engineer: readonly ({ heading: string; markdown: string })[]; internal: readonly ({ heading: string; markdown: string })[]; customer: readonly ({ heading: string; markdown: string })[] }; onHost: { headSha: string | null; error: string | null } | null };

export type PullRequest = { comments: readonly (Comment)[]; total: number; hasMore: boolean; nextOffset: number | null; body: string; repoId: string; number: number; title: string; labels: readonly (string)[]; author: { handle: string; bot: boolean }; createdAt: string | null; updatedAt: string; closedAt: string | null; url: string; reactions: number; state: 'open' | 'closed' | 'merged'; mergedAt: string | null; mergeSha: string | null; baseBranch: string | null; headBranch: string | null; linkedIssues: readonly (number)[] };

export type PullRequestRange = { type: 'PR_BASED'; repoId: string; fromPrNumber: number; toPrNumber: number };

export type Range = { id: string; repoId: string; type: 'TAG_BASED' | 'DATE_BASED' | 'PR_BASED' | 'FIRST_RELEASE' | 'UNRELEASED'; fromTag?: string | null; toTag?: string | null; branch?: string | null; head?: string | null; tagPattern?: string; prereleases?: boolean; fromDate?: string; toDate?: string; fromPrNumber?: number; toPrNumber?: number; timeZone?: string; compareUrl?: string; prCount: number; issueCount: number; resolution: 'compare' | 'commits' | 'window'; assumed?: true; createdAt: string; updatedAt: string };

export type RangeChangedEvent = { event: 'range.changed'; timestamp: string; data: { releaseRangeId: string; repoId: string; type: 'TAG_BASED' | 'DATE_BASED' | 'PR_BASED' | 'FIRST_RELEASE' | 'UNRELEASED'; fromTag?: string; toTag?: string; fromDate?: string; toDate?: string; fromPrNumber?: number; toPrNumber?: number; timeZone?: string; branch?: string; tagPattern?: string; prereleases?: boolean; before: { prCount: number; issueCount: number; resolution: 'compare' | 'commits' | 'window'; assumed?: true }; after: { prCount: number; issueCount: number; resolution: 'compare' | 'commits' | 'window'; assumed?: true } } };

export type RangeCreatedEvent = { event: 'range.created'; timestamp: string; data: { releaseRangeId: string; repoId: string; type: 'TAG_BASED' | 'DATE_BASED' | 'PR_BASED' | 'FIRST_RELEASE' | 'UNRELEASED'; fromTag?: string; toTag?: string; fromDate?: string; toDate?: string; fromPrNumber?: number; toPrNumber?: number; timeZone?: string; branch?: string; tagPattern?: string; prereleases?: boolean; compareUrl?: string; prCount: number; issueCount: number } };

export type RangePreview = { repoId: string; type: 'TAG_BASED' | 'DATE_BASED' | 'PR_BASED' | 'FIRST_RELEASE' | 'UNRELEASED'; fromTag?: string | null; toTag?: string | null; branch?: string | null; head?: string | null; tagPattern?: string; prereleases?: boolean; fromDate?: string; toDate?: string; fromPrNumber?: number; toPrNumber?: number; timeZone?: string; compareUrl?: string; prCount: number; issueCount: number; commitCount: number; resolution: 'compare' | 'commits' | 'window'; assumed?: true; suggestedVersion: { version: string | null; bump: 'major' | 'minor' | 'patch' | 'none'; because: readonly ({ number?: number; sha?: string; kind: string })[] }; changes: readonly (Change)[]; total: number; diagnostics: { changes: number; dependencyUpdates: number; unlabelled: number; unlabelledRate: number; withoutArea: number; undecided: number; mayBreak: number } };

export type Replayed = { endpointId: string; replayed: number };

export type Repository = { id: string; orgId: string; scmRepoId?: number; fullName: string; defaultBranch: string | null; state: 'connected' | 'unselected' | 'disconnected'; createdAt: string; ownerConfirmed: boolean; ownerUnconfirmedReason: string | null; lastEventAt: string | null; lastTag?: { name: string; date: string } | null; unreleased?: { pulls: number; issues: number; commits: number; changes: number; dependencyUpdates: number; unlabelled: number; outdated?: true } | null; backfill?: Backfill | null };

export type RepositoryConnectedEvent = { event: 'repository.connected'; timestamp: string; data: { repoId: string; fullName: string; cause: 'delivery' | 'installation' | 'selection' | 'request' | 'transfer' } };

export type RepositoryDisconnectedEvent = { event: 'repository.disconnected'; timestamp: string; data: { repoId: string; fullName: string; cause: 'delivery' | 'installation' | 'selection' | 'request' | 'transfer' } };

export type Retention = { before: string; partitions: readonly ({ partition: string; trustedTime: string | null; lastSweep: { at: string; before?: string; erased?: { pulls: number; issues: number; comments: number; pushes: number; commits: number } } | null; waiting: readonly ({ partition: string; id: string; cause: 'records' | 'clock' | 'organizations'; from?: string; to?: string; before?: string; records?: number; total?: number; organizations?: readonly ({ id: string; uninstalledAt: string })[]; shares?: readonly ({ partition: string; records: number; total: number })[] })[]; total?: number; due?: { pulls: number; issues: number; comments: number; pushes: number; commits: number } })[]; repositories: readonly ({ partition: string; repoId: string; fullName: string; pulls: number; issues: number; comments: number; pushes: number; commits: number })[]; organizations: readonly ({ id: string; login: string; uninstalledAt: string; erasedFrom: string; due: boolean; repositories: readonly ({ repoId: string; fullName: string; pulls: number; issues: number; comments: number; pushes: number; commits: number } | null)[] })[] };

export type Revision = { number: number; kind: 'generated' | 'edited' | 'merged' | 'restored'; by: string | null; bytes: number; createdAt: string; flags?: { highlights: readonly (string)[]; contributors: readonly (string)[]; upgradeInstructions: string } };

export type RevisionText = { draftId: string; number: number; kind: 'generated' | 'edited' | 'merged' | 'restored'; by: string | null; bytes: number; createdAt: string; flags?: { highlights: readonly (string)[]; contributors: readonly (string)[]; upgradeInstructions: string }; bodyMd: string };

export type RevokedWebhookSecret = { id: string; revokedAt: string };

export type Session = { csrf: string; expiresAt: string; endsAt: string; key: { id: string; name: string; prefix: 'rn_live_' | 'rn_test_'; last4: string; orgId: string | null; scopes: readonly ('drafts:read' | 'drafts:write' | 'ranges:read' | 'ranges:write' | 'repos:read' | 'repos:write' | 'publish:write' | 'stats:read' | 'orgs:read' | 'orgs:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | '*')[]; testMode: boolean } };

export type SettingsPreview = { ranges: readonly ({ fromTag: string | null; toTag: string | null; prCount: number; issueCount: number; resolution: 'compare' | 'commits' | 'window'; personas: readonly ({ persona: 'engineer' | 'internal' | 'customer'; changed: boolean; added: number; removed: number; diff: string; truncated: boolean; changedFlags: readonly ('highlights' | 'contributors' | 'upgradeInstructions')[]; text?: string })[] })[] };

export type Stats = { currentMonth: string; activeRepos: number; draftsGenerated: number; publishedReleases: number; publications: number; apiCalls: number; billingTier: string; usagePercentage: number };

export type WeeklyStats = { weeks: readonly ({ from: string; merged: number; withoutLabels: number; published: number; medianHours: number | null })[] };

export type Tag = { name: string; sha: string; date: string };

export type TagRange = { type: 'TAG_BASED'; repoId: string; fromTag: string; toTag: string };

export type Ticket = { id: string; status: 'processing'; estimatedTime: number };

export type Unreleased = { rangeId: string | null; repoId: string; branch: string | null; head: string | null; since: { tag: string; sha: string | null; date: string } | null; compareUrl?: string; counts: { pulls: number; issues: number; commits: number }; resolution: 'compare' | 'commits' | 'window'; assumed?: true; suggestedVersion: { version: string | null; bump: 'major' | 'minor' | 'patch' | 'none'; because: readonly ({ number?: number; sha?: string; kind: string })[] }; changes: readonly (Change)[]; total: number; diagnostics: { changes: number; dependencyUpdates: number; unlabelled: number; unlabelledRate: number; withoutArea: number; undecided: number; mayBreak: number } };

export type UnreleasedRange = { type: 'UNRELEASED'; repoId: string; branch?: string; tagPattern?: string; prereleases?: boolean };

export type WebhookDelivery = { id: string; endpointId: string; eventId: string; event: string; status: 'pending' | 'delivered' | 'failed' | 'skipped'; payload: { event: string; timestamp: string; data: { [name: string]: unknown } }; attemptCount: number; attempts: readonly ({ at: string; ms: number; status: number | null; error: string | null; response: string | null })[]; nextAttemptAt: string | null; createdAt: string };

export type WebhookEndpoint = { id: string; orgId: string; url: string; description: string; events: readonly ('draft.generated' | 'draft.published' | 'draft.outdated' | 'range.created' | 'range.changed' | 'publication.failed' | 'backfill.completed' | 'repository.connected' | 'repository.disconnected')[]; personas?: readonly ('engineer' | 'internal' | 'customer')[]; channels?: readonly ('scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email')[]; repositories?: readonly (string)[]; enabled: boolean; disabledReason: 'user' | 'gone' | 'failing' | null; disabledAt: string | null; failingSince: string | null; overlapEndsAt: string | null; createdAt: string; updatedAt: string };

export type WebhookSecret = { id: string; name: string; host: string; orgId: string | null; createdAt: string; rotatedAt: string | null; overlapEndsAt: string | null; unused?: true };

/** Bodies of the webhooks that the service sends, by event. */
export interface WebhookEvents {
  /** A draft is ready. */
  'draft.generated': DraftGeneratedEvent;
  /** A draft was published to a channel. */
  'draft.published': DraftPublishedEvent;
  /** A draft is outdated. */
  'draft.outdated': DraftOutdatedEvent;
  /** A release range was created. */
  'range.created': RangeCreatedEvent;
  /** A recount changed a release range. */
  'range.changed': RangeChangedEvent;
  /** A publication failed. */
  'publication.failed': PublicationFailedEvent;
  /** A backfill ended. */
  'backfill.completed': BackfillCompletedEvent;
  /** A repository was connected. */
  'repository.connected': RepositoryConnectedEvent;
  /** A repository was disconnected. */
  'repository.disconnected': RepositoryDisconnectedEvent;
  /** A test of the endpoint was requested. */
  'endpoint.test': EndpointTestEvent;
}

/** The body of a webhook; `event` determines its type. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];

/** The input and the reply of each operation, and the item of each list. */
export interface Operations {
  /** List repositories. */
  listRepositories: { input: { fullName?: string; q?: string; include?: 'unreleased'; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { repos: readonly (Repository)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: Repository; };
  /** Get a repository. */
  getRepository: { input: { repoId: string; include?: 'unreleased' | 'backfill' }; reply: Repository; };
  /** Connect a repository, or stop capturing its events. */
  updateRepository: { input: { repoId: string } & { selected: boolean }; reply: Repository; };
  /** List the tags of a repository. */
  listRepositoryTags: { input: { repoId: string; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { tags: readonly (Tag)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: Tag; };
  /** List the captured pull requests of a repository by number, the newest first. */
  listPullRequests: { input: { repoId: string; state?: 'open' | 'closed' | 'merged'; base?: string; label?: string; limit?: number; offset?: number; cursor?: string }; reply: { pulls: readonly (ListedPullRequest)[]; total: number; hasMore: boolean; nextOffset: number | null; nextCursor: string | null }; item: ListedPullRequest; };
  /** List the captured issues of a repository by number, the newest first. */
  listIssues: { input: { repoId: string; state?: 'open' | 'closed'; label?: string; limit?: number; offset?: number; cursor?: string }; reply: { issues: readonly (ListedIssue)[]; total: number; hasMore: boolean; nextOffset: number | null; nextCursor: string | null }; item: ListedIssue; };
  /** Get a captured pull request with one page of its comments, oldest first. */
  getPullRequest: { input: { repoId: string; number: string; limit?: number; offset?: number }; reply: PullRequest; };
  /** Show what the notes say about a pull request, merged or not, and the verdict of the release note check. */
  getPullRequestNote: { input: { repoId: string; number: string }; reply: PullNote; };
  /** Get a captured issue with one page of its comments, oldest first. */
  getIssue: { input: { repoId: string; number: string; limit?: number; offset?: number }; reply: Issue; };
  /** Get the notes settings of a repository. */
  getRepositorySettings: { input: { repoId: string }; reply: NotesSettings; };
  /** Replace the notes settings of a repository; fields that are left out return to their defaults. */
  putRepositorySettings: { input: { repoId: string } & { order?: readonly ('breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other' | 'reverted' | 'issues' | 'commits' | 'dependencies')[]; titles?: { breaking?: string; feature?: string; fix?: string; security?: string; performance?: string; documentation?: string; other?: string; reverted?: string; issues?: string; commits?: string; dependencies?: string }; labels?: { [name: string]: { type?: 'breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'dependency' | 'internal'; area?: string; priority?: boolean; highlight?: boolean; skip?: boolean } }; excludedLabels?: readonly (string)[]; excludedAuthors?: readonly (string)[]; readVerbs?: boolean; hiddenAreas?: readonly (string)[]; links?: 'full' | 'short'; strictPublishing?: boolean; nextVersion?: { bump?: 'auto' | 'major' | 'minor' | 'patch'; labels?: { [name: string]: 'major' | 'minor' | 'patch' | 'none' } }; noteCheck?: { mode?: 'off' | 'inform' | 'require'; need?: readonly ('type' | 'area' | 'note')[]; noteFor?: readonly ('breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other')[]; exempt?: { authors?: readonly (string)[]; labels?: readonly (string)[] }; comment?: boolean }; engineer?: { contributors?: boolean; newContributors?: boolean; directCommits?: boolean; closedIssues?: boolean; dependencies?: boolean }; internal?: { risks?: boolean; closedIssues?: boolean }; customer?: { bullets?: number; closedIssues?: boolean; titles?: { breaking?: string; security?: string; new?: string; improved?: string; fixed?: string } } }; reply: NotesSettings; };
  /** Show which difference settings would make to the drafts of the last five tag ranges, of the range of one tag, or of the unreleased changes; fields that are left out have their defaults, and nothing is written. */
  previewRepositorySettings: { input: { repoId: string; toTag?: string; unreleased?: 'true'; include?: 'text' } & { order?: readonly ('breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other' | 'reverted' | 'issues' | 'commits' | 'dependencies')[]; titles?: { breaking?: string; feature?: string; fix?: string; security?: string; performance?: string; documentation?: string; other?: string; reverted?: string; issues?: string; commits?: string; dependencies?: string }; labels?: { [name: string]: { type?: 'breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'dependency' | 'internal'; area?: string; priority?: boolean; highlight?: boolean; skip?: boolean } }; excludedLabels?: readonly (string)[]; excludedAuthors?: readonly (string)[]; readVerbs?: boolean; hiddenAreas?: readonly (string)[]; links?: 'full' | 'short'; strictPublishing?: boolean; nextVersion?: { bump?: 'auto' | 'major' | 'minor' | 'patch'; labels?: { [name: string]: 'major' | 'minor' | 'patch' | 'none' } }; noteCheck?: { mode?: 'off' | 'inform' | 'require'; need?: readonly ('type' | 'area' | 'note')[]; noteFor?: readonly ('breaking' | 'feature' | 'fix' | 'security' | 'performance' | 'documentation' | 'other')[]; exempt?: { authors?: readonly (string)[]; labels?: readonly (string)[] }; comment?: boolean }; engineer?: { contributors?: boolean; newContributors?: boolean; directCommits?: boolean; closedIssues?: boolean; dependencies?: boolean }; internal?: { risks?: boolean; closedIssues?: boolean }; customer?: { bullets?: number; closedIssues?: boolean; titles?: { breaking?: string; security?: string; new?: string; improved?: string; fixed?: string } } }; reply: SettingsPreview; };
  /** Get the automation rule of a repository, with its newest runs. */
  getRepositoryAutomation: { input: { repoId: string }; reply: Automation; };
  /** Set the rule by which drafts are made and published without a person; a part that is left out is off. */
  putRepositoryAutomation: { input: { repoId: string } & { onTag?: { pattern: string; personas: readonly ('engineer' | 'internal' | 'customer')[]; publish?: readonly ({ channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; persona: 'engineer' | 'internal' | 'customer'; draft?: boolean })[] } | null; unreleased?: { branch?: string; personas: readonly ('engineer' | 'internal' | 'customer')[]; refreshMinutes?: number } | null }; reply: Automation; };
  /** Switch off the automation of a repository. */
  removeRepositoryAutomation: { input: { repoId: string }; reply: Automation; };
  /** Fetch the older history of a repository from its host. */
  startBackfill: { input: { repoId: string } & { since?: string }; reply: Backfill; };
  /** Get the progress of the newest backfill of a repository. */
  getBackfill: { input: { repoId: string }; reply: Backfill; };
  /** Cancel the running backfill of a repository. */
  cancelBackfill: { input: { repoId: string }; reply: Backfill; };
  /** List the release ranges of a repository. */
  listRanges: { input: { repoId: string; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { ranges: readonly (Range)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: Range; };
  /** Create a release range: between two tags, days or pull request numbers, up to the first release, or what is not released yet. */
  createRange: { input: TagRange | DateRange | PullRequestRange | FirstReleaseRange | UnreleasedRange; reply: Range; };
  /** Get a release range. */
  getRange: { input: { rangeId: string }; reply: Range; };
  /** Show what a release range would contain; nothing is written. */
  previewRange: { input: TagRange | DateRange | PullRequestRange | FirstReleaseRange | UnreleasedRange; reply: RangePreview; };
  /** Get what was merged to a branch since its newest release, and a version for the next release. */
  getUnreleased: { input: { repoId: string; branch?: string; tagPattern?: string; prereleases?: 'true' | 'false'; limit?: number; offset?: number; included?: 'true' | 'false' }; reply: Unreleased; };
  /** List the changes that were considered for a range, and why each is included or not. */
  listRangeChanges: { input: { rangeId: string; limit?: number; offset?: number; included?: 'true' | 'false' }; reply: { changes: readonly (Change)[]; total: number; hasMore: boolean; nextOffset: number | null; diagnostics: { changes: number; dependencyUpdates: number; unlabelled: number; unlabelledRate: number; withoutArea: number; undecided: number; mayBreak: number } }; item: Change; };
  /** List the drafts of a range, of a repository or of all repositories. */
  listDrafts: { input: { releaseRangeId?: string; repoId?: string; persona?: 'engineer' | 'internal' | 'customer'; outdated?: 'true' | 'false'; status?: 'ready' | 'processing' | 'failed'; published?: 'true' | 'false'; view?: 'full' | 'summary'; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc'; cursor?: string }; reply: { drafts: readonly ({ id: string; releaseRangeId: string; persona: 'engineer' | 'internal' | 'customer'; status: 'ready' | 'processing' | 'failed'; revision: number; bodyMd?: string; flags?: { highlights: readonly (string)[]; contributors: readonly (string)[]; upgradeInstructions: string }; conflicts?: readonly ({ id: string; number: number | null; sha: string | null; text: string; reason: 'reverted' | 'reverts' | 'label' | 'command' | 'author' | 'shipped' | 'release' | 'routine' | 'own' | 'joined' | 'note' | 'unlisted' | 'open' | 'unresolved' | 'range' | 'other'; detail: string | null })[]; outdated: boolean; outdatedBecause: readonly ({ number?: number; sha?: string; what: 'merged' | 'label' | 'command' | 'edited' | 'reverted' | 'removed' | 'issue' | 'tag' | 'settings' | 'other' })[]; error?: string; createdAt: string; updatedAt: string })[]; total: number; hasMore: boolean; nextOffset: number | null; nextCursor: string | null }; item: { id: string; releaseRangeId: string; persona: 'engineer' | 'internal' | 'customer'; status: 'ready' | 'processing' | 'failed'; revision: number; bodyMd?: string; flags?: { highlights: readonly (string)[]; contributors: readonly (string)[]; upgradeInstructions: string }; conflicts?: readonly ({ id: string; number: number | null; sha: string | null; text: string; reason: 'reverted' | 'reverts' | 'label' | 'command' | 'author' | 'shipped' | 'release' | 'routine' | 'own' | 'joined' | 'note' | 'unlisted' | 'open' | 'unresolved' | 'range' | 'other'; detail: string | null })[]; outdated: boolean; outdatedBecause: readonly ({ number?: number; sha?: string; what: 'merged' | 'label' | 'command' | 'edited' | 'reverted' | 'removed' | 'issue' | 'tag' | 'settings' | 'other' })[]; error?: string; createdAt: string; updatedAt: string }; };
  /** Get a draft. */
  getDraft: { input: { draftId: string }; reply: Draft; };
  /** Replace the text of a draft, its flags or both. */
  updateDraft: { input: { draftId: string } & { bodyMd?: string; flags?: { highlights?: readonly (string)[] | null; contributors?: readonly (string)[] | null; upgradeInstructions?: string | null } }; reply: DraftUpdate; };
  /** Generate the draft of a range for a persona. */
  generateDraft: { input: { rangeId: string } & { persona: 'engineer' | 'internal' | 'customer'; force?: boolean }; reply: Ticket; };
  /** List the entries of a draft as data, with the words of its current text. */
  listDraftEntries: { input: { draftId: string; limit?: number; offset?: number }; reply: { entries: readonly (DraftEntry)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: DraftEntry; };
  /** List the revisions of a draft. */
  listDraftRevisions: { input: { draftId: string; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { revisions: readonly (Revision)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: Revision; };
  /** Get a revision with its text. */
  getDraftRevision: { input: { draftId: string; revision: string }; reply: RevisionText; };
  /** Restore the text and flags of a revision. */
  restoreDraft: { input: { draftId: string } & { revision: number }; reply: DraftRestore; };
  /** Show how many records would be erased now, and the erasures that wait for approval. */
  showRetention: { input: Record<string, never>; reply: Retention; };
  /** Approve an erasure that waits for approval. */
  approveRetention: { input: { partition?: string; id?: string }; reply: { approved: readonly ({ partition: string; id: string; cause: 'records' | 'clock' | 'organizations'; from?: string; to?: string; before?: string; records?: number; total?: number; organizations?: readonly ({ id: string; uninstalledAt: string })[]; shares?: readonly ({ partition: string; records: number; total: number })[] })[] }; };
  /** List the newest webhook deliveries of hosts, and what became of each. */
  listDeliveries: { input: { outcome?: 'queued' | 'delayed' | 'duplicate' | 'ignored' | 'test' | 'failed' | 'refused'; reason?: 'wrong_signature' | 'no_signature' | 'form_body' | 'foreign' | 'malformed' | 'too_large' | 'limited' | 'not_allowed' | 'ping' | 'not_captured' | 'not_connected'; event?: string; repoId?: string; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { deliveries: readonly ({ id: string; receivedAt: string; outcome: 'queued' | 'delayed' | 'duplicate' | 'ignored' | 'test' | 'failed' | 'refused'; status: number; reason: 'wrong_signature' | 'no_signature' | 'form_body' | 'foreign' | 'malformed' | 'too_large' | 'limited' | 'not_allowed' | 'ping' | 'not_captured' | 'not_connected' | null; message: string | null; remedy: string | null; repoId: string | null; repository: string | null; event: string | null; deliveryId: string | null; host: string | null; hostKind: 'github' | 'gitea' | 'forgejo' | null; hookId: string | null; orgId: string | null; address: string | null; contentType: string | null; triedSecrets: readonly (string)[] })[]; total: number; hasMore: boolean; nextOffset: number | null; since: string }; item: { id: string; receivedAt: string; outcome: 'queued' | 'delayed' | 'duplicate' | 'ignored' | 'test' | 'failed' | 'refused'; status: number; reason: 'wrong_signature' | 'no_signature' | 'form_body' | 'foreign' | 'malformed' | 'too_large' | 'limited' | 'not_allowed' | 'ping' | 'not_captured' | 'not_connected' | null; message: string | null; remedy: string | null; repoId: string | null; repository: string | null; event: string | null; deliveryId: string | null; host: string | null; hostKind: 'github' | 'gitea' | 'forgejo' | null; hookId: string | null; orgId: string | null; address: string | null; contentType: string | null; triedSecrets: readonly (string)[] }; };
  /** List the records that could not be processed. */
  listDeadLetters: { input: { limit?: number; offset?: number }; reply: { deadLetters: readonly ({ partition: string; seq: number; index: number; at: string; repository: string | null; subject: string; error: string; attempts: number })[]; total: number; hasMore: boolean; nextOffset: number | null }; item: { partition: string; seq: number; index: number; at: string; repository: string | null; subject: string; error: string; attempts: number }; };
  /** Process records again that could not be processed: one, or all. */
  replayDeadLetters: { input: { partition: string; seq: number; index: number } | { all: true; error?: string; cursor?: string }; reply: { replayed: readonly ({ partition: string; seq: number; index: number; outcome: 'applied' | 'failed' | 'pending'; error: string | null })[]; nextCursor: string | null }; };
  /** List the source code hosts in the settings, with the newest check of each. */
  listHosts: { input: Record<string, never>; reply: { hosts: readonly ({ origin: string; kind: 'github' | 'gitea'; isDefault: boolean; credentials: readonly ('token' | 'app')[]; app: { source: 'settings' | 'stored'; id: string; name: string | null; url: string | null; installUrl: string | null } | null; webhookSecrets: number; lastCheck: { origin: string; checkedAt: string; state: 'answers' | 'other_kind' | 'not_a_host' | 'unreachable'; kind: 'github' | 'gitea' | null; version: string | null; fault: string | null; token: { state: 'accepted' | 'refused' | 'lacking' | 'unknown'; missing: readonly (string)[]; fault: string | null; mayRead: boolean; mayWrite: boolean | null } | null; app: { state: 'accepted' | 'refused' | 'lacking' | 'unknown'; missing: readonly (string)[]; fault: string | null; mayRead: boolean; mayWrite: boolean | null } | null; mayRead: boolean; mayWrite: boolean | null } | null })[]; unusedApps: readonly ({ origin: string; id: string; name: string; url: string; reason: 'other_app' | 'other_kind' | 'unknown_host' })[] }; };
  /** Check whether a host in the settings answers, and what the credentials may do; nothing is written. */
  checkHost: { input: { origin: string }; reply: { origin: string; checkedAt: string; state: 'answers' | 'other_kind' | 'not_a_host' | 'unreachable'; kind: 'github' | 'gitea' | null; version: string | null; fault: string | null; token: { state: 'accepted' | 'refused' | 'lacking' | 'unknown'; missing: readonly (string)[]; fault: string | null; mayRead: boolean; mayWrite: boolean | null } | null; app: { state: 'accepted' | 'refused' | 'lacking' | 'unknown'; missing: readonly (string)[]; fault: string | null; mayRead: boolean; mayWrite: boolean | null } | null; mayRead: boolean; mayWrite: boolean | null }; };
  /** Publish a draft to a channel. */
  publishDraft: { input: { draftId: string; channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; draft?: boolean; strict?: boolean }; reply: Publication; };
  /** Get the payload that a publication would send to a channel. */
  previewPublication: { input: { draftId: string; channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; draft?: boolean; strict?: boolean }; reply: { channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; payload: unknown; provisionalVersion: string | null; warnings: readonly ({ kind: 'conflict'; id: string; number: number | null; sha: string | null; text: string; reason: 'reverted' | 'reverts' | 'label' | 'command' | 'author' | 'shipped' | 'release' | 'routine' | 'own' | 'joined' | 'note' | 'unlisted' | 'open' | 'unresolved' | 'range' | 'other'; detail: string | null } | { kind: 'outdated'; because: readonly ({ number?: number; sha?: string; what: 'merged' | 'label' | 'command' | 'edited' | 'reverted' | 'removed' | 'issue' | 'tag' | 'settings' | 'other' })[] })[] }; };
  /** List the publications of a draft, of a repository or of all repositories. */
  listPublications: { input: { draftId?: string; repoId?: string; channel?: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; status?: 'pending' | 'processing' | 'completed' | 'failed'; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc'; cursor?: string }; reply: { publications: readonly (Publication)[]; total: number; hasMore: boolean; nextOffset: number | null; nextCursor: string | null }; item: Publication; };
  /** Get a publication. */
  getPublication: { input: { publicationId: string }; reply: Publication; };
  /** Delete a publication, and its page if it has one. */
  deletePublication: { input: { publicationId: string }; reply: { id: string; deletedAt: string; message: string }; };
  /** Send a publication again. */
  resendPublication: { input: { publicationId: string }; reply: Publication; };
  /** List the channels with their connections. */
  listChannels: { input: { repoId?: string; orgId?: string; limit?: number; offset?: number }; reply: { channels: readonly (Channel)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: Channel; };
  /** Get the connection of a channel, without its secrets. */
  getChannel: { input: { channel: string; repoId?: string; orgId?: string }; reply: Channel; };
  /** Connect a channel; secrets that the request omits keep their values. */
  putChannel: { input: { channel: string; repoId?: string; orgId?: string } & { settings: Record<string, never> | { path?: string; branch?: string; message?: string; via?: 'push' | 'pull_request' } | { path?: string; branch?: string; message?: string; via?: 'push' | 'pull_request' } | { visibility?: 'public' | 'unlisted' | 'off'; key?: string; title?: string; language?: string; accent?: string; logo?: string; logoAlt?: string; embedIn?: readonly (string)[] } | { accessToken?: string; senderId?: number; state?: 'live' | 'draft'; newsfeedIds?: readonly (number)[]; apiUrl?: string } | { webhookUrl?: string; botToken?: string; channel?: string; apiUrl?: string } | { webhookUrl?: string } | { host?: string; port?: number; tls?: 'starttls' | 'implicit' | 'none'; certificateAuthority?: string; user?: string; password?: string; from?: string; fromName?: string; recipients?: readonly (string)[] } }; reply: Channel; };
  /** Remove the connection of a channel. */
  removeChannel: { input: { channel: string; repoId?: string; orgId?: string }; reply: Channel; };
  /** Test the connection of a channel. */
  testChannel: { input: { channel: string; repoId?: string; orgId?: string }; reply: { channel: 'scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email'; ok: boolean; message: string }; };
  /** Get the statistics of an organization in the current month. */
  getStats: { input: { orgId?: string }; reply: Stats; };
  /** Get merges, labels and times to publication per week. */
  getWeeklyStats: { input: { orgId?: string; repoId?: string; weeks?: number }; reply: WeeklyStats; };
  /** List API keys. */
  listKeys: { input: { limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { keys: readonly (Key)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: Key; };
  /** Create an API key; it is shown in this reply only. */
  createKey: { input: { name: string; scopes?: readonly ('drafts:read' | 'drafts:write' | 'ranges:read' | 'ranges:write' | 'repos:read' | 'repos:write' | 'publish:write' | 'stats:read' | 'orgs:read' | 'orgs:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | '*')[]; mode?: 'live' | 'test'; expiresAt?: string; org?: string; host?: string; instance?: boolean }; reply: NewKey; };
  /** Get the details of an API key, without the key. */
  getKey: { input: { keyId: string }; reply: Key; };
  /** Revoke an API key and all keys that were created with it. */
  revokeKey: { input: { keyId: string }; reply: { id: string; name: string; prefix: 'rn_live_' | 'rn_test_'; last4: string; orgId: string | null; scopes: readonly ('drafts:read' | 'drafts:write' | 'ranges:read' | 'ranges:write' | 'repos:read' | 'repos:write' | 'publish:write' | 'stats:read' | 'orgs:read' | 'orgs:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | '*')[]; status: 'active' | 'expired' | 'revoked'; createdAt: string; createdBy: string | null; lastUsedAt: string | null; expiresAt: string | null; revokedAt: string | null; rotatedTo: string | null; rotateBy: string; reminder: string | null; endedWith: string | null; endedKeys: number }; };
  /** Replace an API key with a new one. */
  rotateKey: { input: { keyId: string } & { overlapHours?: number }; reply: NewKey; };
  /** List organizations and their tiers. */
  listOrganisations: { input: { limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { organizations: readonly (Organization)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: Organization; };
  /** Get an organization. */
  getOrganisation: { input: { orgId: string }; reply: Organization; };
  /** Set the limit tier or the policies of an organization. */
  updateOrganisation: { input: { orgId: string } & { tier?: string; refuseInternalOnPublicChannels?: boolean; keepPublishedAfterUninstall?: boolean }; reply: Organization; };
  /** List webhook secrets, without their values. */
  listWebhookSecrets: { input: { limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { webhookSecrets: readonly (WebhookSecret)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: WebhookSecret; };
  /** Create a webhook secret; a generated value is shown in this reply only. */
  createWebhookSecret: { input: { name?: string; host?: string; org?: string; secret?: string }; reply: NewWebhookSecret; };
  /** Replace the value of a webhook secret. */
  rotateWebhookSecret: { input: { secretId: string } & { overlapHours?: number }; reply: NewWebhookSecret; };
  /** Revoke a webhook secret. */
  revokeWebhookSecret: { input: { secretId: string }; reply: RevokedWebhookSecret; };
  /** Make the manifest of an app for a host of the kind github, and the address that a browser posts it to. */
  createAppManifest: { input: { origin: string; organization?: string; name?: string }; reply: { url: string; manifest: { name: string; url: string; hook_attributes: { url: string; active: boolean }; redirect_url: string; public: boolean; default_permissions: { [name: string]: string }; default_events: readonly (string)[] }; state: string }; };
  /** Exchange the code of a host for the app that was created there, and store the app; the code is used once. */
  createHostApp: { input: { code: string; state: string }; reply: HostApp; };
  /** Remove the stored app of a host and its webhook secret; the app itself stays on the host. */
  removeHostApp: { input: { origin: string }; reply: { origin: string; id: string; name: string; url: string; secretId: string; removedAt: string }; };
  /** List the events of outgoing webhooks, each with the schema and an example of its body. */
  listWebhookEvents: { input: { limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { webhookEvents: readonly ({ event: string; summary: string; description: string; filters: readonly ('personas' | 'channels' | 'repositories')[]; schema: { [name: string]: unknown }; example: { [name: string]: unknown } })[]; total: number; hasMore: boolean; nextOffset: number | null }; item: { event: string; summary: string; description: string; filters: readonly ('personas' | 'channels' | 'repositories')[]; schema: { [name: string]: unknown }; example: { [name: string]: unknown } }; };
  /** List webhook endpoints, without their secrets. */
  listWebhookEndpoints: { input: { limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { webhookEndpoints: readonly (WebhookEndpoint)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: WebhookEndpoint; };
  /** Create a webhook endpoint; its secret is shown in this reply only. */
  createWebhookEndpoint: { input: { url: string; events?: readonly ('draft.generated' | 'draft.published' | 'draft.outdated' | 'range.created' | 'range.changed' | 'publication.failed' | 'backfill.completed' | 'repository.connected' | 'repository.disconnected')[]; personas?: readonly ('engineer' | 'internal' | 'customer')[]; channels?: readonly ('scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email')[]; repositories?: readonly (string)[]; description?: string; org?: string }; reply: NewWebhookEndpoint; };
  /** Get a webhook endpoint, without its secret. */
  getWebhookEndpoint: { input: { endpointId: string }; reply: WebhookEndpoint; };
  /** Change, disable or enable a webhook endpoint. */
  updateWebhookEndpoint: { input: { endpointId: string } & { url?: string; events?: readonly ('draft.generated' | 'draft.published' | 'draft.outdated' | 'range.created' | 'range.changed' | 'publication.failed' | 'backfill.completed' | 'repository.connected' | 'repository.disconnected')[]; personas?: readonly ('engineer' | 'internal' | 'customer')[]; channels?: readonly ('scm_releases' | 'changelog' | 'releases_md' | 'hosted' | 'support_messenger' | 'workspace_chat' | 'office_chat' | 'email')[]; repositories?: readonly (string)[]; description?: string; enabled?: boolean }; reply: WebhookEndpoint; };
  /** Delete a webhook endpoint and its deliveries. */
  deleteWebhookEndpoint: { input: { endpointId: string }; reply: DeletedWebhookEndpoint; };
  /** Replace the secret of a webhook endpoint; during the overlap, deliveries are signed with both secrets. */
  rotateWebhookEndpointSecret: { input: { endpointId: string } & { overlapHours?: number }; reply: NewWebhookEndpoint; };
  /** Send a test event to a webhook endpoint. */
  testWebhookEndpoint: { input: { endpointId: string }; reply: WebhookDelivery; };
  /** List the deliveries to a webhook endpoint, with their attempts. */
  listWebhookDeliveries: { input: { endpointId: string; status?: 'pending' | 'delivered' | 'failed' | 'skipped'; limit?: number; offset?: number; sort?: 'createdAt' | 'updatedAt' | 'name'; order?: 'asc' | 'desc' }; reply: { deliveries: readonly (WebhookDelivery)[]; total: number; hasMore: boolean; nextOffset: number | null }; item: WebhookDelivery; };
  /** Get one delivery to a webhook endpoint. */
  getWebhookDelivery: { input: { endpointId: string; deliveryId: string }; reply: WebhookDelivery; };
  /** Send a delivery again, or send a waiting delivery now. */
  resendWebhookDelivery: { input: { endpointId: string; deliveryId: string }; reply: WebhookDelivery; };
  /** Send the deliveries of a period again. */
  replayWebhookDeliveries: { input: { endpointId: string } & { from: string; to: string; status?: 'pending' | 'delivered' | 'failed' | 'skipped' }; reply: Replayed; };
  /** Get the versions of the service, its durability, and the limits of an organization. */
  getAbout: { input: { orgId?: string }; reply: { version: string; node: string; journalServer: string | null; durability: 'process-crash' | 'power-loss' | 'replicated-unsynced' | 'replicated' | null; partitions: number; hosts: number; startedAt: string; limits: { tier: string; apiPerMinute: number; apiPerHour: number; apiPerDay: number; webhooksPerMinute: number; webhooksPerHour: number; keys: number; ranges: number; webhookEndpoints: number; backfills: number } }; };
  /** Sign a browser in, with an API key or with a code. */
  createSession: { input: { key?: string; code?: string }; reply: Session; };
  /** Get the session of the request. */
  getSession: { input: Record<string, never>; reply: Session; };
  /** Sign out. */
  endSession: { input: Record<string, never>; reply: { id: string; endedAt: string }; };
  /** Sign out everywhere: end all sessions of the API key. */
  endSessions: { input: Record<string, never>; reply: { keyId: string; endedSessions: number; endedAt: string }; };
  /** Get this document. */
  getOpenApi: { input: Record<string, never>; reply: Record<string, unknown>; };
}

export const operations = {
  listRepositories: { method: 'GET', path: '/api/repos', query: ['fullName', 'q', 'include', 'limit', 'offset', 'sort', 'order'], body: false, list: 'repos' },
  getRepository: { method: 'GET', path: '/api/repos/{repoId}', query: ['include'], body: false },
  updateRepository: { method: 'PATCH', path: '/api/repos/{repoId}', query: [], body: true },
  listRepositoryTags: { method: 'GET', path: '/api/repos/{repoId}/tags', query: ['limit', 'offset', 'sort', 'order'], body: false, list: 'tags' },
  listPullRequests: { method: 'GET', path: '/api/repos/{repoId}/pulls', query: ['state', 'base', 'label', 'limit', 'offset', 'cursor'], body: false, list: 'pulls' },
  listIssues: { method: 'GET', path: '/api/repos/{repoId}/issues', query: ['state', 'label', 'limit', 'offset', 'cursor'], body: false, list: 'issues' },
  getPullRequest: { method: 'GET', path: '/api/repos/{repoId}/pulls/{number}', query: ['limit', 'offset'], body: false },
  getPullRequestNote: { method: 'GET', path: '/api/repos/{repoId}/pulls/{number}/note', query: [], body: false },
  getIssue: { method: 'GET', path: '/api/repos/{repoId}/issues/{number}', query: ['limit', 'offset'], body: false },
  getRepositorySettings: { method: 'GET', path: '/api/repos/{repoId}/settings', query: [], body: false },
  putRepositorySettings: { method: 'PUT', path: '/api/repos/{repoId}/settings', query: [], body: true },
  previewRepositorySettings: { method: 'POST', path: '/api/repos/{repoId}/settings/preview', query: ['toTag', 'unreleased', 'include'], body: true },
  getRepositoryAutomation: { method: 'GET', path: '/api/repos/{repoId}/automation', query: [], body: false },
  putRepositoryAutomation: { method: 'PUT', path: '/api/repos/{repoId}/automation', query: [], body: true },
  removeRepositoryAutomation: { method: 'DELETE', path: '/api/repos/{repoId}/automation', query: [], body: false },
  startBackfill: { method: 'POST', path: '/api/repos/{repoId}/backfill', query: [], body: true },
  getBackfill: { method: 'GET', path: '/api/repos/{repoId}/backfill', query: [], body: false },
  cancelBackfill: { method: 'DELETE', path: '/api/repos/{repoId}/backfill', query: [], body: false },
  listRanges: { method: 'GET', path: '/api/ranges', query: ['repoId', 'limit', 'offset', 'sort', 'order'], body: false, list: 'ranges' },
  createRange: { method: 'POST', path: '/api/ranges', query: [], body: true },
  getRange: { method: 'GET', path: '/api/ranges/{rangeId}', query: [], body: false },
  previewRange: { method: 'POST', path: '/api/ranges/preview', query: [], body: true },
  getUnreleased: { method: 'GET', path: '/api/repos/{repoId}/unreleased', query: ['branch', 'tagPattern', 'prereleases', 'limit', 'offset', 'included'], body: false },
  listRangeChanges: { method: 'GET', path: '/api/ranges/{rangeId}/changes', query: ['limit', 'offset', 'included'], body: false, list: 'changes' },
  listDrafts: { method: 'GET', path: '/api/drafts', query: ['releaseRangeId', 'repoId', 'persona', 'outdated', 'status', 'published', 'view', 'limit', 'offset', 'sort', 'order', 'cursor'], body: false, list: 'drafts' },
  getDraft: { method: 'GET', path: '/api/drafts/{draftId}', query: [], body: false },
  updateDraft: { method: 'PATCH', path: '/api/drafts/{draftId}', query: [], body: true },
  generateDraft: { method: 'POST', path: '/api/drafts/{rangeId}/generate', query: [], body: true },
  listDraftEntries: { method: 'GET', path: '/api/drafts/{draftId}/entries', query: ['limit', 'offset'], body: false, list: 'entries' },
  listDraftRevisions: { method: 'GET', path: '/api/drafts/{draftId}/revisions', query: ['limit', 'offset', 'sort', 'order'], body: false, list: 'revisions' },
  getDraftRevision: { method: 'GET', path: '/api/drafts/{draftId}/revisions/{revision}', query: [], body: false },
  restoreDraft: { method: 'POST', path: '/api/drafts/{draftId}/restore', query: [], body: true },
  showRetention: { method: 'GET', path: '/api/retention', query: [], body: false },
  approveRetention: { method: 'POST', path: '/api/retention/approve', query: [], body: true },
  listDeliveries: { method: 'GET', path: '/api/deliveries', query: ['outcome', 'reason', 'event', 'repoId', 'limit', 'offset', 'sort', 'order'], body: false, list: 'deliveries' },
  listDeadLetters: { method: 'GET', path: '/api/dead-letters', query: ['limit', 'offset'], body: false, list: 'deadLetters' },
  replayDeadLetters: { method: 'POST', path: '/api/dead-letters', query: [], body: true },
  listHosts: { method: 'GET', path: '/api/hosts', query: [], body: false },
  checkHost: { method: 'POST', path: '/api/hosts/check', query: [], body: true },
  publishDraft: { method: 'POST', path: '/api/publish', query: [], body: true },
  previewPublication: { method: 'POST', path: '/api/publish/preview', query: [], body: true },
  listPublications: { method: 'GET', path: '/api/publications', query: ['draftId', 'repoId', 'channel', 'status', 'limit', 'offset', 'sort', 'order', 'cursor'], body: false, list: 'publications' },
  getPublication: { method: 'GET', path: '/api/publications/{publicationId}', query: [], body: false },
  deletePublication: { method: 'DELETE', path: '/api/publications/{publicationId}', query: [], body: false },
  resendPublication: { method: 'POST', path: '/api/publications/{publicationId}/resend', query: [], body: true },
  listChannels: { method: 'GET', path: '/api/channels', query: ['repoId', 'orgId', 'limit', 'offset'], body: false, list: 'channels' },
  getChannel: { method: 'GET', path: '/api/channels/{channel}', query: ['repoId', 'orgId'], body: false },
  putChannel: { method: 'PUT', path: '/api/channels/{channel}', query: ['repoId', 'orgId'], body: true },
  removeChannel: { method: 'DELETE', path: '/api/channels/{channel}', query: ['repoId', 'orgId'], body: false },
  testChannel: { method: 'POST', path: '/api/channels/{channel}/test', query: ['repoId', 'orgId'], body: true },
  getStats: { method: 'GET', path: '/api/stats', query: ['orgId'], body: false },
  getWeeklyStats: { method: 'GET', path: '/api/stats/weeks', query: ['orgId', 'repoId', 'weeks'], body: false },
  listKeys: { method: 'GET', path: '/api/keys', query: ['limit', 'offset', 'sort', 'order'], body: false, list: 'keys' },
  createKey: { method: 'POST', path: '/api/keys', query: [], body: true },
  getKey: { method: 'GET', path: '/api/keys/{keyId}', query: [], body: false },
  revokeKey: { method: 'DELETE', path: '/api/keys/{keyId}', query: [], body: false },
  rotateKey: { method: 'POST', path: '/api/keys/{keyId}/rotate', query: [], body: true },
  listOrganisations: { method: 'GET', path: '/api/orgs', query: ['limit', 'offset', 'sort', 'order'], body: false, list: 'organizations' },
  getOrganisation: { method: 'GET', path: '/api/orgs/{orgId}', query: [], body: false },
  updateOrganisation: { method: 'PATCH', path: '/api/orgs/{orgId}', query: [], body: true },
  listWebhookSecrets: { method: 'GET', path: '/api/webhook-secrets', query: ['limit', 'offset', 'sort', 'order'], body: false, list: 'webhookSecrets' },
  createWebhookSecret: { method: 'POST', path: '/api/webhook-secrets', query: [], body: true },
  rotateWebhookSecret: { method: 'POST', path: '/api/webhook-secrets/{secretId}/rotate', query: [], body: true },
  revokeWebhookSecret: { method: 'DELETE', path: '/api/webhook-secrets/{secretId}', query: [], body: false },
  createAppManifest: { method: 'POST', path: '/api/hosts/app-manifest', query: [], body: true },
  createHostApp: { method: 'POST', path: '/api/hosts/app', query: [], body: true },
  removeHostApp: { method: 'DELETE', path: '/api/hosts/app', query: ['origin'], body: false },
  listWebhookEvents: { method: 'GET', path: '/api/webhook-events', query: ['limit', 'offset', 'sort', 'order'], body: false, list: 'webhookEvents' },
  listWebhookEndpoints: { method: 'GET', path: '/api/webhook-endpoints', query: ['limit', 'offset', 'sort', 'order'], body: false, list: 'webhookEndpoints' },
  createWebhookEndpoint: { method: 'POST', path: '/api/webhook-endpoints', query: [], body: true },
  getWebhookEndpoint: { method: 'GET', path: '/api/webhook-endpoints/{endpointId}', query: [], body: false },
  updateWebhookEndpoint: { method: 'PATCH', path: '/api/webhook-endpoints/{endpointId}', query: [], body: true },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/api/webhook-endpoints/{endpointId}', query: [], body: false },
  rotateWebhookEndpointSecret: { method: 'POST', path: '/api/webhook-endpoints/{endpointId}/rotate', query: [], body: true },
  testWebhookEndpoint: { method: 'POST', path: '/api/webhook-endpoints/{endpointId}/test', query: [], body: true },
  listWebhookDeliveries: { method: 'GET', path: '/api/webhook-endpoints/{endpointId}/deliveries', query: ['status', 'limit', 'offset', 'sort', 'order'], body: false, list: 'deliveries' },
  getWebhookDelivery: { method: 'GET', path: '/api/webhook-endpoints/{endpointId}/deliveries/{deliveryId}', query: [], body: false },
  resendWebhookDelivery: { method: 'POST', path: '/api/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/resend', query: [], body: true },
  replayWebhookDeliveries: { method: 'POST', path: '/api/webhook-endpoints/{endpointId}/replay', query: [], body: true },
  getAbout: { method: 'GET', path: '/api/about', query: ['orgId'], body: false },
  createSession: { method: 'POST', path: '/api/session', query: [], body: true },
  getSession: { method: 'GET', path: '/api/session', query: [], body: false },
  endSession: { method: 'DELETE', path: '/api/session', query: [], body: false },
  endSessions: { method: 'DELETE', path: '/api/sessions', query: [], body: false },
  getOpenApi: { method: 'GET', path: '/api/openapi.json', query: [], body: false },
} as const;
