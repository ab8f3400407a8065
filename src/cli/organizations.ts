/**
 * `tidings orgs list|tier|keep-published`: lists the organizations that the service knows. `tier` assigns a tier to an
 * organization. The tier sets the limits of the organization. `keep-published` sets whether the published notes of an
 * organization are kept after the organization has removed the app.
 */
import { tiersOf } from '../../config/tiers.ts';
import { type ApiContext, runCommand } from '../api/context.ts';
import { organizationRoutes } from '../api/organizations.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { listOrganizations } from '../store/tables/directory.ts';
import { readTier } from '../store/tables/tiers.ts';
import { withService } from './connection.ts';
import { printReply } from './json.ts';
import { findOrganization } from './organization.ts';
import { printLines } from './print.ts';
import type { organizationsEntry } from './table/access.ts';
import { type Runs, UsageError } from './usage.ts';

export const organizationActions: Runs<typeof organizationsEntry> = {
  list: ({ json }) =>
    withService((context) => (json ? printReply(context, organizationRoutes, 'listOrganisations') : list(context))),
  tier: (_, [wanted = '', tier = '']) => withService((context) => setTier(context, wanted, tier)),
  'keep-published': (_, [wanted = '', value]) =>
    withService((context) => keepPublished(context, wanted, value === 'true')),
};

async function list({ readers }: ApiContext): Promise<number> {
  const directory = readers.fresh(directoryName);
  const organizations = directory ? listOrganizations(directory) : [];
  const lines = organizations.map(
    ({ id, login, origin }) =>
      `${id}  ${readTier(directory as NonNullable<typeof directory>, id)}  ${login}  ${origin}`,
  );
  printLines(lines.sort(), 'There are no organizations yet.');
  return 0;
}

async function setTier(context: ApiContext, wanted: string, tier: string): Promise<number> {
  const known = [...tiersOf(context.settings).keys()];
  if (!known.includes(tier)) throw new UsageError(`Expected a tier (${known.join(', ')}), got ${tier}`);
  const { id, login } = findOrganization(context.readers, wanted);
  await runCommand(context, directoryName, { name: 'updateOrganisation', orgId: id, tier });
  printLines([`${login} is in the tier ${tier}.`]);
  return 0;
}

async function keepPublished(context: ApiContext, wanted: string, keeps: boolean): Promise<number> {
  const { id, login } = findOrganization(context.readers, wanted);
  const command = { name: 'updateOrganisation', orgId: id, keepPublishedAfterUninstall: keeps } as const;
  await runCommand(context, directoryName, command);
  printLines([
    keeps
      ? `Published notes of ${login} stay when its app is removed.`
      : `Published notes of ${login} are erased with its other data, 30 days after its app is removed.`,
  ]);
  return 0;
}
