/** The field that limits a screen to one repository. */
import type { JSX } from 'preact';
import { repositories } from '../state/repositories.ts';

/** @param repoId the chosen repository; empty for all of them */
export function RepositoryFilter({
  repoId,
  onChoose,
}: {
  repoId: string;
  onChoose: (repoId: string) => void;
}): JSX.Element {
  return (
    <select
      class="filter"
      aria-label="Repository"
      value={repoId}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">All repositories</option>
      {repositories.value?.map(({ id, fullName }) => (
        <option key={id} value={id}>
          {fullName}
        </option>
      ))}
    </select>
  );
}
