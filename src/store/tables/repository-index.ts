/**
 * The indexes of the directory's repositories: by full name, and by a host's number that was told after the name
 * (`docs/architecture.md` decision 12). They are kept as rows are written; what is found by them is in `repository-names.ts`.
 */
import { isNumber, repositoryId } from '../../foundation/ids.ts';
import type { Partition } from '../partition.ts';
import type { DirectoryRepository, OrganisationRecord } from './directory.ts';

/** Keeps the indexes of a repository that is written or removed (`after` undefined). */
export function indexRepository(
  { tables }: Pick<Partition, 'tables'>,
  before: DirectoryRepository | undefined,
  after: DirectoryRepository | undefined,
): void {
  const { repositoriesByName, repositoriesByNumber, directoryRepositories } = tables;
  const organisation: OrganisationRecord | undefined = tables.organisations.get((after ?? before)?.orgId ?? '');
  if (!organisation) return;
  const { origin } = organisation;
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

/** The id that would follow from the number of a repository that was known by its name first; undefined for any other. */
function adoptedNumber(origin: string, { id, hostId, claimed }: DirectoryRepository): string | undefined {
  if (claimed || !isNumber(hostId)) return undefined;
  const computed = repositoryId(origin, hostId);
  return computed === id ? undefined : computed;
}

/** Of two repositories of one name: what is proved, then what has a number, then what was told of last. */
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

/** Whether two full names are one: hosts do not tell capitals apart. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
