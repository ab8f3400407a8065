/**
 * Maintains the indexes of the directory's repositories: one by full name, and one by the host's number. The index by
 * number contains only repositories that were known by name before their number arrived (`docs/architecture.md`
 * decision 12). Lookups by these indexes are in `repository-names.ts`.
 */
import { isNumber, repositoryId } from '../../foundation/ids.ts';
import type { Partition } from '../partition.ts';
import type { DirectoryRepository, OrganizationRecord } from './directory.ts';

/** Updates a repository's index rows when its own row changes. If `after` is undefined, the repository is removed. */
export function indexRepository(
  { tables }: Pick<Partition, 'tables'>,
  before: DirectoryRepository | undefined,
  after: DirectoryRepository | undefined,
): void {
  const { repositoriesByName, repositoriesByNumber, directoryRepositories } = tables;
  const organization: OrganizationRecord | undefined = tables.organizations.get((after ?? before)?.orgId ?? '');
  if (!organization) return;
  const { origin } = organization;
  const keyOf = ({ fullName }: DirectoryRepository) => [origin, fullName.toLowerCase()];
  if (before && !(after && sameName(before.fullName, after.fullName))) {
    if (repositoriesByName.get(keyOf(before)) === before.id) repositoriesByName.removeSync(keyOf(before));
  }
  const former = before && adoptedNumber(origin, before);
  const present = after && adoptedNumber(origin, after);
  if (former !== undefined && former !== present && repositoriesByNumber.get(former) === before?.id)
    repositoriesByNumber.removeSync(former);
  if (!after) return;
  if (present !== undefined) repositoriesByNumber.putSync(present, after.id);
  const id: string | undefined = repositoriesByName.get(keyOf(after));
  const other: DirectoryRepository | undefined = id === undefined ? undefined : directoryRepositories.get(id);
  const isTaken = other && other.id !== after.id && sameName(other.fullName, after.fullName);
  if (id !== after.id && !(isTaken && !isBetter(after, other))) repositoriesByName.putSync(keyOf(after), after.id);
}

/**
 * Returns the id that is derived from a repository's number; undefined if the repository already has this id. A
 * repository that was known by name before its number arrived has an id that is derived from the name.
 */
function adoptedNumber(origin: string, { id, hostId, claimed }: DirectoryRepository): string | undefined {
  if (claimed || !isNumber(hostId)) return undefined;
  const computed = repositoryId(origin, hostId);
  return computed === id ? undefined : computed;
}

/**
 * Whether `a` is preferred over `b`, if both have the same name. The preferred repository is, in this order of
 * criteria:
 * - the repository that is proved, not only claimed;
 * - the repository that has a number;
 * - the repository that was seen last.
 */
function isBetter(a: DirectoryRepository, b: DirectoryRepository): boolean {
  const worth = ({ claimed, hostId, seenAt }: DirectoryRepository) => [
    Number(!claimed),
    Number(isNumber(hostId)),
    seenAt,
  ];
  const [one, other] = [worth(a), worth(b)];
  const difference = one.map((value, i) => value - (other[i] as number)).find((value) => value !== 0);
  return difference === undefined ? a.id < b.id : difference > 0;
}

/** Whether two full names are the same. Hosts ignore case. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
