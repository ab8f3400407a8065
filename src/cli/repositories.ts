/**
 * `tidings repos list|select|unselect|settings`: the repositories the service knows, and whether their events are wanted.
 */
import { type ApiContext, carryOut } from '../api/context.ts';
import { directoryName } from '../journal/subjects.ts';
import { listDirectoryRepositories } from '../store/directory.ts';
import { withService } from './connection.ts';
import { printLines } from './print.ts';
import { findRepository } from './repository.ts';
import { showSettings } from './repository-settings.ts';
import { type CliCommand, readArgs, UsageError } from './usage.ts';

export const repositoriesCommand: CliCommand = {
  usage: 'repos list | repos select|unselect OWNER/REPO|REPO_ID | repos settings OWNER/REPO|REPO_ID [FILE.json]',
  help: 'Lists the repositories and their state; takes up or stops the events of one; shows or puts how it wants its notes',
  run: ([action = '', ...args]) => {
    if (action === 'list') return withService(list);
    const [wanted, file] = readArgs(args, {}).positionals;
    if (action === 'settings' && wanted) return withService((context) => showSettings(context, wanted, file));
    if ((action !== 'select' && action !== 'unselect') || !wanted)
      throw new UsageError(
        'Expected: tidings repos list, repos select REPO, repos unselect REPO or repos settings REPO [FILE.json]',
      );
    return withService((context) => select(context, wanted, action === 'select'));
  },
};

async function list({ readers }: ApiContext): Promise<number> {
  const directory = readers.fresh(directoryName);
  const repositories = directory ? listDirectoryRepositories(directory, null) : [];
  const lines = repositories.map(({ id, state, fullName }) => `${id}  ${state.padEnd(12)}  ${fullName}`);
  printLines(lines.sort(), 'There are no repositories yet.');
  return 0;
}

async function select(context: ApiContext, wanted: string, selected: boolean): Promise<number> {
  const { id, fullName } = findRepository(context.readers, wanted);
  await carryOut(context, directoryName, { name: 'selectRepository', repoId: id, selected });
  printLines([`${fullName} is ${selected ? 'connected' : 'unselected: its events are dropped'}.`]);
  return 0;
}
