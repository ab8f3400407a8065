/**
 * Registers every table of a partition. Defines how the rows of each table are erased and dumped. Only registered
 * tables exist, so no table can be left out of erasing.
 */

/**
 * How the rows of a table are erased.
 * - `repositoryRows`: the keys begin with the id of a repository, and `erasing/repository.ts` erases the rows piece by
 *   piece.
 * - `repository`: `erasing/repository.ts` erases the rows together with the repository. That file has a function for
 *   each of these tables. One function can erase several tables.
 * - `organization`: `workers/fold/organizations.ts` erases the rows together with the organization.
 * - `expiry`: each row is removed after a fixed time, or when the work that the row describes is done.
 * - `never`: the rows contain no data of an organization, such as counters and positions of the partition.
 */
type Erased = 'repository' | 'organization' | 'expiry' | 'never';

interface CommonTraits {
  /**
   * The name of the table in LMDB, if it differs from the name in the code. The name in LMDB never changes, because the
   * stores of all versions of Tidings use this name.
   */
  nameOnDisk?: string;
}

interface RepositoryTraits extends CommonTraits {
  erasedWith: 'repositoryRows';
  /**
   * The kind of record in the dump lines of this table (`dump.ts`). Null for an index, and for data that was not
   * captured from the host.
   */
  dumpedAs: string | null;
  /** True if the rows of this table are kept by an erasure that keeps the repository's published notes. */
  keptWithNotes?: true;
}

type Traits = RepositoryTraits | (CommonTraits & { erasedWith: Erased });

/**
 * All tables that are folded from the journal. Values are encoded as msgpack. Rows of a repository are erased in the
 * order of this list.
 */
export const tableRegistry = {
  meta: { erasedWith: 'never' },
  repositories: { erasedWith: 'repository' },
  revisions: { erasedWith: 'repository' },
  pulls: { erasedWith: 'repositoryRows', dumpedAs: 'pull' },
  pullsByMergeSha: { erasedWith: 'repositoryRows', dumpedAs: null },
  pullsByMergedAt: { erasedWith: 'repositoryRows', dumpedAs: null },
  pullsByAuthor: { erasedWith: 'repositoryRows', dumpedAs: null },
  earlyReactions: { erasedWith: 'repositoryRows', dumpedAs: null },
  issues: { erasedWith: 'repositoryRows', dumpedAs: 'issue' },
  issuesByClosedAt: { erasedWith: 'repositoryRows', dumpedAs: null },
  comments: { erasedWith: 'repositoryRows', dumpedAs: 'comment' },
  commandComments: { erasedWith: 'repositoryRows', dumpedAs: null },
  pushes: { erasedWith: 'repositoryRows', dumpedAs: 'push' },
  commits: { erasedWith: 'repositoryRows', dumpedAs: 'commit' },
  branchHeads: { erasedWith: 'repositoryRows', dumpedAs: null },
  tags: { erasedWith: 'repositoryRows', dumpedAs: 'tag' },
  labelChanges: { erasedWith: 'repositoryRows', dumpedAs: 'label' },
  removedIssues: { erasedWith: 'repositoryRows', dumpedAs: 'removedIssue' },
  comparisons: { erasedWith: 'repositoryRows', dumpedAs: null },
  unreleasedRanges: { erasedWith: 'repositoryRows', dumpedAs: null },
  automations: { erasedWith: 'repositoryRows', dumpedAs: null },
  automationRuns: { erasedWith: 'repositoryRows', dumpedAs: null },
  weeks: { erasedWith: 'repositoryRows', dumpedAs: null },
  publishedPulls: { erasedWith: 'repositoryRows', dumpedAs: null },
  hostedNotes: { erasedWith: 'repositoryRows', dumpedAs: null, keptWithNotes: true },
  hostedNotesByDate: { erasedWith: 'repositoryRows', dumpedAs: null, keptWithNotes: true },
  publicationReferences: { erasedWith: 'repositoryRows', dumpedAs: null },
  recipients: { erasedWith: 'repositoryRows', dumpedAs: null },
  publicationsByContent: { erasedWith: 'repositoryRows', dumpedAs: null },
  publicationsUnderWay: { erasedWith: 'repositoryRows', dumpedAs: null },
  noteChecks: { erasedWith: 'repositoryRows', dumpedAs: null },
  noteChecksWaiting: { erasedWith: 'repositoryRows', dumpedAs: null },
  publications: { erasedWith: 'repository' },
  publicationsByRepository: { erasedWith: 'repository' },
  publicationsByState: { erasedWith: 'repository' },
  ranges: { erasedWith: 'repository' },
  rangesByRepository: { erasedWith: 'repository' },
  notesSettings: { erasedWith: 'repository' },
  drafts: { erasedWith: 'repository' },
  draftRevisions: { erasedWith: 'repository' },
  draftTexts: { erasedWith: 'repository' },
  draftFacts: { erasedWith: 'repository' },
  backfills: { erasedWith: 'repository' },
  tagSyncs: { erasedWith: 'repository' },
  syncs: { erasedWith: 'repository' },
  syncsByDay: { erasedWith: 'repository' },
  erasing: { erasedWith: 'repository' },
  deadLetters: { erasedWith: 'repository' },
  delayed: { erasedWith: 'repository' },
  delayedRepositories: { erasedWith: 'repository' },
  outbox: { erasedWith: 'repository' },
  outboxKeys: { erasedWith: 'repository' },
  results: { erasedWith: 'repository' },
  deliveries: { erasedWith: 'expiry' },
  once: { erasedWith: 'expiry' },
  relays: { erasedWith: 'never' },
  retention: { erasedWith: 'never' },
  organizations: { erasedWith: 'organization', nameOnDisk: 'organisations' },
  organizationsByOwner: { erasedWith: 'organization', nameOnDisk: 'organisationsByOwner' },
  organizationsByLogin: { erasedWith: 'organization', nameOnDisk: 'organisationsByLogin' },
  directoryRepositories: { erasedWith: 'organization' },
  repositoriesByName: { erasedWith: 'organization' },
  repositoriesByNumber: { erasedWith: 'organization' },
  keys: { erasedWith: 'organization' },
  keysByHash: { erasedWith: 'organization' },
  keysInUse: { erasedWith: 'organization' },
  sessions: { erasedWith: 'organization' },
  sessionsByKey: { erasedWith: 'organization' },
  sessionsByEnd: { erasedWith: 'organization' },
  signInCodes: { erasedWith: 'organization' },
  tiers: { erasedWith: 'organization' },
  usage: { erasedWith: 'organization' },
  webhookSecrets: { erasedWith: 'organization' },
  webhookSecretsByOwner: { erasedWith: 'organization' },
  hostApps: { erasedWith: 'never' },
  hostAppStates: { erasedWith: 'expiry' },
  channels: { erasedWith: 'organization' },
  policies: { erasedWith: 'organization' },
  suppressions: { erasedWith: 'organization' },
  webhookEndpoints: { erasedWith: 'organization' },
  webhookEndpointsByOrganization: { erasedWith: 'organization', nameOnDisk: 'webhookEndpointsByOrganisation' },
  webhookDeliveries: { erasedWith: 'organization' },
  webhookDeliveriesById: { erasedWith: 'organization' },
  webhookDeliveriesByTime: { erasedWith: 'organization' },
  webhookQueue: { erasedWith: 'organization' },
} as const satisfies Readonly<Record<string, Traits>>;

type Registry = typeof tableRegistry;

/** A table that is folded from the journal. */
export type FoldedTable = keyof Registry;

/** Maps each kind of line in a dump to the table that these lines come from. */
export type DumpedTables = {
  [Name in FoldedTable as Registry[Name] extends { dumpedAs: infer Kind extends string } ? Kind : never]: Name;
};

/** The tables whose `erasedWith` trait is `Way`. */
export type TablesErasedWith<Way extends Traits['erasedWith']> = {
  [Name in FoldedTable]: Registry[Name]['erasedWith'] extends Way ? Name : never;
}[FoldedTable];

/** The names of all folded tables, in the order of the registry. */
export const foldedTables = Object.keys(tableRegistry) as FoldedTable[];

/**
 * Returns the folded tables that match a condition, in the order of the registry.
 * @param passes receives the traits of a table and returns whether the table matches
 */
export function tablesWhere(passes: (traits: Traits) => boolean): FoldedTable[] {
  return foldedTables.filter((name) => passes(tableRegistry[name]));
}

/** Returns the name of a table in LMDB. */
export function nameOnDisk(table: string): string {
  const traits: Traits | undefined = (tableRegistry as Readonly<Record<string, Traits>>)[table];
  return traits?.nameOnDisk ?? table;
}
