/** The field of a form that chooses an organization. Only an instance key has the choice. */
import type { JSX } from 'preact';
import { SelectField } from '../../parts/fields.tsx';
import { isInstanceKey, mayUse } from '../../state/session.ts';
import type { Organization } from './organization-choice.tsx';

/**
 * @param organizations the organizations to choose from; undefined while they are loaded
 * @param none text of the choice of no organization, whose value is empty; without it, one organization is chosen
 */
export function OrganizationField({
  organizations = [],
  none,
  ...field
}: {
  label: string;
  organizations: readonly Organization[] | undefined;
  none?: string;
  value: string;
  onChange: (orgId: string) => void;
}): JSX.Element | null {
  if (!isInstanceKey()) return null;
  const listed = organizations.map(({ id, login }) => [id, login] as const);
  const about = mayUse('orgs:read') ? undefined : 'To list the organizations, a key needs the scope orgs:read.';
  return (
    <SelectField
      {...field}
      at="org"
      about={about}
      options={none === undefined ? listed : [['', none] as const, ...listed]}
    />
  );
}
