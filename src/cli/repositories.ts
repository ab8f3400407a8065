/**
 * `tidings repos list|select|unselect|settings|automation`: lists the repositories that the service knows, and sets
 * whether their events are captured. The actions `settings` and `automation` are in files of their own.
 */
import { type ApiContext, runCommand } from '../api/context.ts';
import { repositoryRoutes } from '../api/repositories.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { listDirectoryRepositories } from '../store/tables/directory.ts';
import { withService } from './connection.ts';
import { printReply } from './json.ts';
import { printLines } from './print.ts';
import { findRepository } from './repository.ts';
import { runAutomation } from './repository-automation.ts';
import { runSettings } from './repository-settings.ts';
import type { repositoriesEntry } from './table/access.ts';
import type { Runs } from './usage.ts';

export const repositoryActions: Runs<typeof repositoriesEntry> = {
  list: ({ json }) =>
    withService((context) => (json ? printReply(context, repositoryRoutes, 'listRepositories') : list(context))),
  select: (_, [wanted = '']) => withService((context) => select(context, wanted, true)),
  unselect: (_, [wanted = '']) => withService((context) => select(context, wanted, false)),
  settings: runSettings,
  automation: runAutomation,
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
  await runCommand(context, directoryName, { name: 'selectRepository', repoId: id, selected });
  printLines([`${fullName} is ${selected ? 'connected' : 'unselected: its events are dropped'}.`]);
  return 0;
}
