/**
 * Handles organizations: list, get, update. An organization's key sees only its own organization and may change its
 * publishing policies. Only an instance key can assign tiers.
 */
import { tiersOf } from '../../config/tiers.ts';
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { KeyRecord } from '../protocol/commands.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  organizationContracts,
  type UpdateOrganizationBody,
  UpdateOrganizationBodySchema,
} from '../protocol/resources/organizations.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import {
  type OrganizationRecord,
  readOrganization,
  listOrganizations as storedOrganizations,
} from '../store/tables/directory.ts';
import { organizationDigest, organizationResponse } from '../store/tables/tiers.ts';
import { changedReply, readIfMatch } from './conditional.ts';
import { type ApiContext, runCommand } from './context.ts';
import { page } from './page.ts';
import type { ApiRequest, ApiRoute } from './route.ts';
import { check } from './validate.ts';

const listOrganizations: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/orgs',
  operation: 'listOrganisations',
  contract: organizationContracts.listOrganisations,
  scope: 'orgs:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const { orgId } = caller.key;
    const all = storedOrganizations(directory).filter(({ id }) => orgId === null || id === orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'name', order: 'asc' });
    const organizations = items.map((organization) => organizationResponse(directory, organization));
    return { status: 200, body: { organizations, ...rest } };
  },
};

const getOrganization: ApiRoute = {
  method: 'GET',
  path: '/api/orgs/:orgId',
  operation: 'getOrganisation',
  contract: organizationContracts.getOrganisation,
  scope: 'orgs:read',
  query: NoQuerySchema,
  handle: (request) => {
    const { directory } = request;
    const organization = visibleOrganization(request);
    const etag = toEtag(organizationDigest(directory, organization));
    return { status: 200, body: organizationResponse(directory, organization), etag };
  },
};

const updateOrganization: ApiRoute = {
  method: 'PATCH',
  path: '/api/orgs/:orgId',
  operation: 'updateOrganisation',
  contract: organizationContracts.updateOrganisation,
  scope: 'orgs:write',
  query: NoQuerySchema,
  checkBody,
  handle: async (request) => {
    const { body, caller, context, headers } = request;
    const { id: orgId } = visibleOrganization(request);
    const ifMatch = readIfMatch(headers['if-match']);
    const update = checkBody(body);
    if (update.tier !== undefined) assertTier(caller.key, context, update.tier);
    const command = { name: 'updateOrganisation', orgId, ...update, ...(ifMatch && { ifMatch }) } as const;
    return changedReply(await runCommand<object>(context, directoryName, command));
  },
};

/**
 * @throws ServiceError `notFound` when the organization does not exist, or when the key belongs to another organization
 */
function visibleOrganization({ caller, directory, params: [orgId = ''] }: ApiRequest): OrganizationRecord {
  const organization = slotOfId(orgId, 'org') === undefined ? undefined : readOrganization(directory, orgId);
  const own = caller.key.orgId;
  if (!organization || (own !== null && own !== orgId)) throw notFound('Organization', orgId);
  return organization;
}

/**
 * Returns the id of the organization that a query names, else that of the key; null for an instance key without it.
 * @throws ServiceError `notFound` when the organization does not exist, or when the key belongs to another organization
 */
export function namedOrganizationId(
  { caller, directory }: Pick<ApiRequest, 'caller' | 'directory'>,
  named: string | undefined,
): string | null {
  const own = caller.key.orgId;
  if (named === undefined) return own;
  const isKnown = slotOfId(named, 'org') !== undefined && readOrganization(directory, named) !== undefined;
  if (!isKnown || (own !== null && own !== named)) throw notFound('Organization', named);
  return named;
}

function checkBody(body: unknown): UpdateOrganizationBody {
  const update = check<UpdateOrganizationBody>(UpdateOrganizationBodySchema, body, 'body');
  if (Object.keys(update).length === 0)
    throw invalid({
      body: `expected at least one of ${Object.keys(UpdateOrganizationBodySchema.properties).join(', ')}, got none`,
    });
  return update;
}

/** @throws ServiceError `forbidden` for a key of an organization, `invalid` for a tier that is not in the settings */
function assertTier(key: KeyRecord, { settings }: ApiContext, tier: string): void {
  if (key.orgId !== null) throw new ServiceError('forbidden', 'Only an instance key can assign tiers.');
  const known = [...tiersOf(settings).keys()];
  if (known.includes(tier)) return;
  throw invalid({ tier: `expected one of ${known.join(', ')}, got ${JSON.stringify(tier)}` });
}

function toSortable({ id, login, createdAt }: OrganizationRecord) {
  return { id, name: login, createdAt, updatedAt: createdAt };
}

export const organizationRoutes = [listOrganizations, getOrganization, updateOrganization];
