/**
 * `tidings orgs list|tier|keep-published`: the organisations the service knows, their tiers of limits, and whether their published
 * notes stay after the app was removed.
 */
import { tiersOf } from '../../config/tiers.ts';
import { type ApiContext, carryOut } from '../api/context.ts';
import { directoryName } from '../journal/subjects.ts';
import { listOrganisations } from '../store/tables/directory.ts';
import { readTier } from '../store/tables/tiers.ts';
import { withService } from './connection.ts';
import { jsonOption, printReply } from './json.ts';
import { findOrganisation } from './organization.ts';
import { printLines } from './print.ts';
import { action, type CliCommand, UsageError } from './usage.ts';

export const organisationsCommand: CliCommand = {
  help: 'Lists the organisations; assigns a tier of limits to one; says whether its published notes outlive its app',
  examples: ['orgs list', 'orgs tier acme unlimited', 'orgs keep-published acme false'],
  actions: {
    list: action({
      help: 'Lists the organisations with their tiers',
      options: jsonOption('the reply of GET /api/orgs'),
      run: ({ json }) => withService((context) => (json ? printReply(context, 'listOrganisations') : list(context))),
    }),
    tier: action({
      arguments: 'LOGIN|ID TIER',
      help: 'Assigns a tier of limits: standard, unlimited, or one of the settings',
      run: (_, [wanted = '', tier = '']) => withService((context) => give(context, wanted, tier)),
    }),
    'keep-published': action({
      arguments: 'LOGIN|ID true|false',
      help: 'Keeps or erases the published notes of one when its app is removed',
      run: (_, [wanted = '', value = '']) => {
        if (value !== 'true' && value !== 'false') throw new UsageError(`Expected true or false, got "${value}".`);
        return withService((context) => keepPublished(context, wanted, value === 'true'));
      },
    }),
  },
};

async function list({ readers }: ApiContext): Promise<number> {
  const directory = readers.fresh(directoryName);
  const organisations = directory ? listOrganisations(directory) : [];
  const lines = organisations.map(
    ({ id, login, origin }) =>
      `${id}  ${readTier(directory as NonNullable<typeof directory>, id)}  ${login}  ${origin}`,
  );
  printLines(lines.sort(), 'There are no organisations yet.');
  return 0;
}

async function give(context: ApiContext, wanted: string, tier: string): Promise<number> {
  const known = [...tiersOf(context.settings).keys()];
  if (!known.includes(tier)) throw new UsageError(`Expected a tier (${known.join(', ')}), got ${tier}`);
  const { id, login } = findOrganisation(context.readers, wanted);
  await carryOut(context, directoryName, { name: 'updateOrganisation', orgId: id, tier });
  printLines([`${login} is in the tier ${tier}.`]);
  return 0;
}

async function keepPublished(context: ApiContext, wanted: string, keeps: boolean): Promise<number> {
  const { id, login } = findOrganisation(context.readers, wanted);
  const command = { name: 'updateOrganisation', orgId: id, keepPublishedAfterUninstall: keeps } as const;
  await carryOut(context, directoryName, command);
  printLines([
    keeps
      ? `Published notes of ${login} stay when its app is removed.`
      : `Published notes of ${login} are erased with the rest, 30 days after its app is removed.`,
  ]);
  return 0;
}
