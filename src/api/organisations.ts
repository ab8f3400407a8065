/**
 * Organisations and their tiers of limits. A key of an organisation sees its own and says what it
 * allows of publishing; tiers are given by keys of the instance.
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
import type { KeyRecord } from '../protocol/commands.ts';
import { contracts } from '../protocol/contracts.ts';
import {
  type OrganisationRecord,
  readOrganisation,
  listOrganisations as storedOrganisations,
} from '../store/directory.ts';
import { organisationResponse } from '../store/tiers.ts';
import { type ApiContext, carryOut } from './context.ts';
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
    const { tier, refuseInternalOnPublicChannels: refuses } = checkBody(body);
    if (tier !== undefined) assertTier(key, context, tier);
    let value: object = organisationResponse(directory, organisation);
    if (tier !== undefined) value = await carryOut<object>(context, directoryName, { name: 'setTier', orgId, tier });
    if (refuses !== undefined)
      value = await carryOut<object>(context, directoryName, {
        name: 'setPolicy',
        orgId,
        refuseInternalOnPublicChannels: refuses,
      });
    return { status: 200, body: value };
  },
};

function checkBody(body: unknown): UpdateOrganisationBody {
  const update = check<UpdateOrganisationBody>(UpdateOrganisationBodySchema, body, 'body');
  if (Object.keys(update).length === 0)
    throw invalid({
      body: `expected one of ${Object.keys(UpdateOrganisationBodySchema.properties).join(', ')}, got none`,
    });
  return update;
}

/** @throws ServiceError `forbidden` for a key of an organisation, `invalid` for a tier that the settings do not have */
function assertTier(key: KeyRecord, { settings }: ApiContext, tier: string): void {
  if (key.orgId !== null) throw new ServiceError('forbidden', 'Only a key of the instance gives tiers.');
  const known = [...tiersOf(settings).keys()];
  if (known.includes(tier)) return;
  throw invalid({ tier: `expected one of ${known.join(', ')}, got ${JSON.stringify(tier)}` });
}

function toSortable({ id, login, createdAt }: OrganisationRecord) {
  return { id, name: login, createdAt, updatedAt: createdAt };
}

export const organisationRoutes = [listOrganisations, updateOrganisation];
