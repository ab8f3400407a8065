/**
 * `tidings orgs list|tier|keep-published`: the organisations the service knows, their tiers of limits, and whether their published
 * notes stay after the app was removed.
 */
import { tiersOf } from '../../config/tiers.ts';
import { type ApiContext, carryOut } from '../api/context.ts';
import { directoryName } from '../journal/subjects.ts';
import { listOrganisations } from '../store/directory.ts';
import { readTier } from '../store/tiers.ts';
import { withService } from './connection.ts';
import { findOrganisation } from './organisation.ts';
import { printLines } from './print.ts';
import { type CliCommand, readArgs, UsageError } from './usage.ts';

export const organisationsCommand: CliCommand = {
  usage: 'orgs list | orgs tier ORGANISATION TIER | orgs keep-published ORGANISATION true|false',
  help: 'Lists the organisations; gives one a tier of limits (standard, unlimited, or one of the settings); keeps or erases its published notes when its app is removed',
  run: ([action = '', ...args]) => {
    if (action === 'list') return withService(list);
    const [wanted, value, ...more] = readArgs(args, {}).positionals;
    const isWhole = wanted !== undefined && value !== undefined && more.length === 0;
    if (isWhole && action === 'tier') return withService((context) => give(context, wanted, value));
    if (isWhole && action === 'keep-published' && (value === 'true' || value === 'false'))
      return withService((context) => keepPublished(context, wanted, value === 'true'));
    throw new UsageError('Expected: tidings orgs list, orgs tier ORG TIER or orgs keep-published ORG true|false');
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
