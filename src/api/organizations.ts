/**
 * Organisations and their tiers of limits. A key of an organisation sees its own and says what it
 * allows of publishing; tiers are given by keys of the instance.
 */
import { tiersOf } from '../../config/tiers.ts';
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import {
  NoQuerySchema,
  type Paging,
  PagingSchema,
  type UpdateOrganisationBody,
  UpdateOrganisationBodySchema,
} from '../protocol/api.ts';
import type { KeyRecord } from '../protocol/commands.ts';
import { organisationContracts } from '../protocol/contracts/organisations.ts';
import {
  type OrganisationRecord,
  readOrganisation,
  listOrganisations as storedOrganisations,
} from '../store/tables/directory.ts';
import { organisationDigest, organisationResponse } from '../store/tables/tiers.ts';
import { changedReply, readIfMatch } from './conditional.ts';
import { type ApiContext, carryOut } from './context.ts';
import type { ApiRequest, ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { check } from './validate.ts';

const listOrganisations: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/orgs',
  operation: 'listOrganisations',
  contract: organisationContracts.listOrganisations,
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

const getOrganisation: ApiRoute = {
  method: 'GET',
  path: '/api/orgs/:orgId',
  operation: 'getOrganisation',
  contract: organisationContracts.getOrganisation,
  scope: 'orgs:read',
  query: NoQuerySchema,
  handle: (request) => {
    const { directory } = request;
    const organisation = visibleOrganisation(request);
    const etag = toEtag(organisationDigest(directory, organisation));
    return { status: 200, body: organisationResponse(directory, organisation), etag };
  },
};

const updateOrganisation: ApiRoute = {
  method: 'PATCH',
  path: '/api/orgs/:orgId',
  operation: 'updateOrganisation',
  contract: organisationContracts.updateOrganisation,
  scope: 'orgs:write',
  query: NoQuerySchema,
  checkBody,
  handle: async (request) => {
    const { body, caller, context, headers } = request;
    const { id: orgId } = visibleOrganisation(request);
    const ifMatch = readIfMatch(headers['if-match']);
    const update = checkBody(body);
    if (update.tier !== undefined) assertTier(caller.key, context, update.tier);
    const command = { name: 'updateOrganisation', orgId, ...update, ...(ifMatch && { ifMatch }) } as const;
    return changedReply(await carryOut<object>(context, directoryName, command));
  },
};

/** @throws ServiceError `notFound` also for the organisation of somebody else */
function visibleOrganisation({ caller, directory, params: [orgId = ''] }: ApiRequest): OrganisationRecord {
  const organisation = slotOfId(orgId, 'org') === undefined ? undefined : readOrganisation(directory, orgId);
  const own = caller.key.orgId;
  if (!organisation || (own !== null && own !== orgId)) throw notFound('Organization', orgId);
  return organisation;
}

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

export const organisationRoutes = [listOrganisations, getOrganisation, updateOrganisation];
