/**
 * Contains the table of commands. Parsing, help and `docs/commands.md` are made from this table. To add a command, add
 * a line to the table.
 */
import { backfillCommand } from './backfill.ts';
import { channelsCommand } from './channels.ts';
import { completionCommand } from './completion.ts';
import { deadLettersCommand } from './dead-letters.ts';
import { doctorCommand } from './doctor.ts';
import { dumpCommand } from './dump.ts';
import { commandsPage, helpOf, overview } from './help.ts';
import { keysCommand } from './keys.ts';
import { actionNamed, commandNamed } from './lookup.ts';
import { notesCommand } from './notes.ts';
import { openApiCommand } from './openapi.ts';
import { organizationsCommand } from './organizations.ts';
import { printText } from './print.ts';
import { publishCommand } from './publish.ts';
import { pullsCommand } from './pulls.ts';
import { draftsCommand, rangesCommand } from './ranges.ts';
import { repositoriesCommand } from './repositories.ts';
import { retentionCommand } from './retention.ts';
import { sendCommand } from './send.ts';
import { settingsCommand } from './settings.ts';
import { restoreCommand, snapshotCommand } from './snapshots.ts';
import { startCommand } from './start.ts';
import { topics } from './topics.ts';
import { type CliCommand, single } from './usage.ts';
import { versionCommand } from './version.ts';
import { webhookSecretsCommand } from './webhook-secrets.ts';
import { webhooksCommand } from './webhooks.ts';

const helpCommand: CliCommand = single({
  arguments: '[COMMAND|TOPIC] [ACTION]',
  help: 'Shows all commands, or the help of one command or topic',
  options: { markdown: { help: 'Prints the help of all commands as Markdown, for docs/commands.md' } },
  examples: ['help keys', 'help keys create', 'help exit-codes'],
  run: async ({ markdown }, [name, word]) => {
    printText(
      markdown ? commandsPage(commands).trimEnd() : name === undefined ? overview(commands) : helpFor(name, word),
    );
    return 0;
  },
});

function helpFor(name: string, word: string | undefined): string {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  if (topic && word === undefined) return topic.text.join('\n');
  const command = commandNamed(commands, name, Object.keys(topics));
  if (word !== undefined) actionNamed(name, command, word);
  return helpOf(name, command, word);
}

export const commands: Readonly<Record<string, CliCommand>> = {
  start: startCommand,
  notes: notesCommand,
  version: versionCommand,
  ranges: rangesCommand,
  drafts: draftsCommand,
  pulls: pullsCommand,
  keys: keysCommand,
  orgs: organizationsCommand,
  repos: repositoriesCommand,
  'webhook-secrets': webhookSecretsCommand,
  publish: publishCommand,
  channels: channelsCommand,
  webhooks: webhooksCommand,
  send: sendCommand,
  doctor: doctorCommand,
  backfill: backfillCommand,
  'dead-letters': deadLettersCommand,
  dump: dumpCommand,
  snapshot: snapshotCommand,
  restore: restoreCommand,
  retention: retentionCommand,
  settings: settingsCommand,
  openapi: openApiCommand,
  completion: completionCommand(() => commands),
  help: helpCommand,
};
