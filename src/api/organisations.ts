/**
 * Organisations and their tiers of limits. A key of an organisation sees its own; tiers are given by keys of the instance.
 */
import { tiersOf } from '../../config/tiers.ts';
import { invalid, notFound, ServiceError } from '../errors.ts';
import { slotOfId } from '../ids.ts';
import { directoryName } from '../journal/subjects.ts';
import {
  NoQuerySchema,
  type Paging,
  PagingSchema,
  type UpdateOrganisationBody,
  UpdateOrganisationBodySchema,
} from '../protocol/api.ts';
import { contracts } from '../protocol/contracts.ts';
import {
  type OrganisationRecord,
  readOrganisation,
  listOrganisations as storedOrganisations,
} from '../store/directory.ts';
import { organisationResponse } from '../store/tiers.ts';
import { carryOut } from './context.ts';
import type { ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { check } from './validate.ts';

const listOrganisations: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/orgs',
  operation: 'listOrganisations',
  contract: contracts.listOrganisations,
  scope: 'orgs:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const { orgId } = caller.key;
    const all = storedOrganisations(directory).filter(({ id }) => orgId === null || id === orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'name', order: 'asc' });
    const organizations = items.map((organisation) => organisationResponse(directory, organisation));
    return { status: 200, body: { organizations, ...rest } };
  },
};

const updateOrganisation: ApiRoute = {
  method: 'PATCH',
  path: '/api/orgs/:orgId',
  operation: 'updateOrganisation',
  contract: contracts.updateOrganisation,
  scope: 'orgs:write',
  query: NoQuerySchema,
  checkBody,
  handle: async ({ body, caller, context, directory, params: [orgId = ''] }) => {
    const organisation = slotOfId(orgId, 'org') === undefined ? undefined : readOrganisation(directory, orgId);
    const { key } = caller;
    if (!organisation || (key.orgId !== null && key.orgId !== orgId)) throw notFound('Organization', orgId);
    const { tier } = checkBody(body);
    if (key.orgId !== null) throw new ServiceError('forbidden', 'Only a key of the instance gives tiers.');
    const known = [...tiersOf(context.settings).keys()];
    if (!known.includes(tier)) {
      throw invalid({ tier: `expected one of ${known.join(', ')}, got ${JSON.stringify(tier)}` });
    }
    const value = await carryOut<object>(context, directoryName, { name: 'setTier', orgId, tier });
    return { status: 200, body: value };
  },
};

function checkBody(body: unknown): UpdateOrganisationBody {
  return check<UpdateOrganisationBody>(UpdateOrganisationBodySchema, body, 'body');
}

function toSortable({ id, login, createdAt }: OrganisationRecord) {
  return { id, name: login, createdAt, updatedAt: createdAt };
}

export const organisationRoutes = [listOrganisations, updateOrganisation];
