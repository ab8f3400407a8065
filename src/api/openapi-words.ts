/**
 * Describes each tag and each parameter of paths and queries in the OpenAPI document.
 */
import type { Tag } from '../protocol/resources/contract.ts';

/** Descriptions of tags, in the order of the page at `/docs`. The document omits tags without an operation. */
export const tagDescriptions: Readonly<Record<Tag | 'Webhooks' | 'Contract', string>> = {
  Repositories: 'Repositories with their tags, their settings and backfills of their older history.',
  Ranges:
    'Release ranges: the pull requests and issues between two tags, days or pull request numbers, up to the first release, or since the newest release.',
  Drafts: 'Release notes of a range for one persona: generate, read, edit and restore them.',
  Publishing: 'Publications of drafts, and the connections of the channels that drafts are published to.',
  Statistics: 'Usage of an organization in the current month, and counts per week.',
  Keys: 'API keys of an organization.',
  Sessions: 'Sessions of browsers: sign in with an API key, and sign out. A session acts as its key.',
  Organizations: 'Organizations with their tiers and policies, and the secrets that sign incoming webhooks.',
  Events: 'A stream of what changes, for programs that show the current state.',
  'Outgoing webhooks': 'Endpoints that the service sends events to, and the deliveries to each of them.',
  Operations: 'Tasks of the operator of the service.',
  Webhooks: 'The receiver of webhooks from source code hosts.',
  Contract: 'This document.',
};

/** Descriptions of parameters, by name. */
export const parameterDescriptions: Readonly<Record<string, string>> = {
  repoId: 'Id of a repository.',
  rangeId: 'Id of a release range.',
  draftId: 'Id of a draft.',
  orgId: 'Id of an organization.',
  keyId: 'Id of an API key.',
  secretId: 'Id of a webhook secret.',
  publicationId: 'Id of a publication.',
  endpointId: 'Id of a webhook endpoint.',
  deliveryId: 'Id of a delivery to a webhook endpoint.',
  revision: 'Number of a revision of the draft.',
  number: 'Number of the pull request or issue on its host.',
  releaseRangeId:
    'Id of the release range whose drafts are listed. Without it and `repoId`, the drafts of all repositories are listed.',
  persona: 'Returns only the drafts for this persona.',
  outdated: '`true` returns only drafts that are outdated, `false` only those that are not.',
  published:
    '`true` returns only drafts whose newest revision has a publication in any state, `false` only the others.',
  view: '`summary` leaves out the fields `bodyMd`, `flags` and `conflicts`.',
  state: 'Returns only the pull requests or issues in this state.',
  fullName: 'Returns only the repositories with this name. Upper and lower case do not matter.',
  q: 'Returns only the repositories whose name contains this text. Upper and lower case do not matter.',
  origin: 'Web address of a host in the settings.',
  include:
    'Adds fields to the reply: `unreleased` the newest release tag and what was merged since then, `backfill` the newest backfill, `text` the text of each draft.',
  toTag: 'Returns only the range that ends with this tag.',
  unreleased: 'Returns the unreleased changes instead of the last tag ranges. Not together with toTag.',
  label: 'Returns only the pull requests or issues with this label. Upper and lower case do not matter.',
  base: 'Returns only the pull requests into this branch.',
  included: '`true` returns only the changes that are in the notes, `false` only those that are not.',
  branch: 'Branch whose unreleased changes are shown; default: the default branch.',
  tagPattern: 'Which tags are releases: `*` matches any text and `?` matches one character. Default: all tags.',
  prereleases: '`true` counts prereleases as releases.',
  channel: 'Name of a channel.',
  status: 'Returns only the items with this status.',
  outcome: 'Returns only the deliveries with this outcome.',
  reason: 'Returns only the deliveries that were refused or ignored for this reason.',
  event: 'Returns only the deliveries of this event.',
  weeks: 'Number of weeks, up to the current one.',
  limit: 'Maximum number of items in the page.',
  offset: 'Number of items to skip.',
  cursor: '`nextCursor` of an earlier reply with the same filters. Continues the list where that reply ended.',
  lastEventId: 'The id in the header `Last-Event-ID`, for clients that cannot send this header.',
  sort: 'Field that the list is sorted by.',
  order: 'Direction of the sort.',
};
