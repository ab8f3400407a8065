/**
 * `tidings orgs list|tier`: the organisations the service knows, and their tiers of limits.
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
  usage: 'orgs list | orgs tier ORGANISATION TIER',
  help: 'Lists the organisations; gives one a tier of limits (standard, unlimited, or one of the settings)',
  run: ([action = '', ...args]) => {
    if (action === 'list') return withService(list);
    const [wanted, tier] = readArgs(args, {}).positionals;
    if (action !== 'tier' || !wanted || !tier)
      throw new UsageError('Expected: tidings orgs list or orgs tier ORG TIER');
    return withService((context) => give(context, wanted, tier));
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
