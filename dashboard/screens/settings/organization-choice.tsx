/** Which organization the settings are about. A key of an organization has no choice. */
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';
import type { Operations } from '../../../sdk/index.ts';
import { type Loaded, useLoad } from '../../state/load.ts';
import { api, isInstanceKey, mayUse } from '../../state/session.ts';

export type Organization = Operations['listOrganisations']['item'];

/** Maximum number of organizations in the choice. */
const maxListed = 1000;

/** Loads the organizations that the key may see. Without the scope for that, nothing is loaded. */
export function useOrganizations(): Loaded<readonly Organization[]> {
  return useLoad(
    'organizations',
    async (signal) => {
      const found: Organization[] = [];
      for await (const each of api().each('listOrganisations', { sort: 'name', order: 'asc' }, { signal })) {
        found.push(each);
        if (found.length >= maxListed) break;
      }
      return found;
    },
    [mayUse('orgs:read') || null],
  );
}

/** Returns the organization of the address, else the first one. */
export function useChosen(organizations: readonly Organization[] | undefined): Organization | undefined {
  const [query] = useSearchParams();
  return organizations?.find(({ id }) => id === query.get('org')) ?? organizations?.[0];
}

/** Lets an instance key choose the organization. The choice is in the address. */
export function OrganizationChoice({
  organizations,
  chosen,
}: {
  organizations: readonly Organization[];
  chosen: Organization;
}): JSX.Element | null {
  const [, setQuery] = useSearchParams();
  if (!isInstanceKey() || organizations.length < 2) return null;
  return (
    <label>
      <span class="faint">Organization</span>
      <select
        value={chosen.id}
        onChange={({ currentTarget }) => setQuery({ org: currentTarget.value }, { replace: true })}
      >
        {organizations.map(({ id, login }) => (
          <option key={id} value={id}>
            {login}
          </option>
        ))}
      </select>
    </label>
  );
}
