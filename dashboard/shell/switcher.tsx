/** Chooses the repository that the person works on. */
import type { JSX } from 'preact';
import { useLocation } from 'wouter-preact';
import { currentRepositoryId, repositories } from '../state/repositories.ts';

export function Switcher(): JSX.Element | null {
  const [, navigate] = useLocation();
  const all = repositories.value ?? [];
  if (all.length === 0) return null;
  return (
    <label class="switcher">
      <span class="hidden">Repository</span>
      <select
        value={currentRepositoryId.value}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') navigate(`/app/repositories/${currentTarget.value}`);
        }}
      >
        <option value="">Choose a repository</option>
        {all.map(({ id, fullName }) => (
          <option key={id} value={id}>
            {fullName}
          </option>
        ))}
      </select>
    </label>
  );
}
