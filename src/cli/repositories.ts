/**
 * `tidings repos list|select|unselect|settings|automation`: lists the repositories that the service knows, and sets
 * whether their events are captured. The actions `settings` and `automation` are in files of their own.
 */
import { type ApiContext, runCommand } from '../api/context.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { listDirectoryRepositories } from '../store/tables/directory.ts';
import { withService } from './connection.ts';
import { jsonOption, printReply } from './json.ts';
import { printLines } from './print.ts';
import { findRepository } from './repository.ts';
import { automationAction } from './repository-automation.ts';
import { settingsAction } from './repository-settings.ts';
import { action, type CliCommand } from './usage.ts';

export const repositoriesCommand: CliCommand = {
  help: 'Lists the repositories, connects and disconnects them, and shows, replaces or tries their settings',
  examples: [
    'repos list',
    'repos settings acme/rocket settings.json',
    'repos settings acme/rocket --try settings.json',
  ],
  actions: {
    list: action({
      help: 'Lists the repositories with their states',
      example: 'repos list',
      options: jsonOption('the reply of GET /api/repos'),
      run: ({ json }) => withService((context) => (json ? printReply(context, 'listRepositories') : list(context))),
    }),
    select: action({
      arguments: 'OWNER/REPO|REPO_ID',
      help: 'Connects a repository: its events are captured',
      example: 'repos select acme/rocket',
      run: (_, [wanted = '']) => withService((context) => select(context, wanted, true)),
    }),
    unselect: action({
      arguments: 'OWNER/REPO|REPO_ID',
      help: 'Disconnects a repository: its events are dropped',
      example: 'repos unselect acme/rocket',
      run: (_, [wanted = '']) => withService((context) => select(context, wanted, false)),
    }),
    settings: settingsAction,
    automation: automationAction,
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
  await runCommand(context, directoryName, { name: 'selectRepository', repoId: id, selected });
  printLines([`${fullName} is ${selected ? 'connected' : 'unselected: its events are dropped'}.`]);
  return 0;
}
