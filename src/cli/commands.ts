/**
 * Contains the table of commands. Parsing, help and `docs/commands.md` are made from this table. The folder `table/` has
 * the declarations, which import nothing of the service. The implementation of a command is loaded when the command
 * runs, so that a command does not wait until the others are loaded.
 */
import { completionCommand } from './completion.ts';
import { commandsPage, helpOf, overview } from './help.ts';
import { actionNamed, commandNamed } from './lookup.ts';
import { printText } from './print.ts';
import {
  dashboardEntry,
  keysEntry,
  organizationsEntry,
  repositoriesEntry,
  webhookSecretsEntry,
} from './table/access.ts';
import { clusterEntry } from './table/cluster.ts';
import { draftsEntry, notesEntry, publishEntry, pullsEntry, rangesEntry, versionEntry } from './table/notes.ts';
import {
  backfillEntry,
  deadLettersEntry,
  deliveriesEntry,
  doctorEntry,
  dumpEntry,
  openApiEntry,
  restoreEntry,
  retentionEntry,
  sendEntry,
  settingsEntry,
  snapshotEntry,
  startEntry,
} from './table/operation.ts';
import { channelsEntry, webhooksEntry } from './table/receivers.ts';
import { topics } from './topics.ts';
import { type CliCommand, group, type SingleEntry, single } from './usage.ts';

const helpEntry = {
  arguments: '[COMMAND|TOPIC] [ACTION]',
  help: 'Shows all commands, or the help of one command or topic',
  options: { markdown: { help: 'Prints the help of all commands as Markdown, for docs/commands.md' } },
  examples: ['help keys', 'help keys create', 'help exit-codes'],
} as const satisfies SingleEntry;

const helpCommand = single(helpEntry, async () => async ({ markdown }, [name, word]) => {
  printText(
    markdown ? commandsPage(commands).trimEnd() : name === undefined ? overview(commands) : helpFor(name, word),
  );
  return 0;
});

function helpFor(name: string, word: string | undefined): string {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  if (topic && word === undefined) return topic.text.join('\n');
  const command = commandNamed(commands, name, Object.keys(topics));
  if (word !== undefined) actionNamed(name, command, word);
  return helpOf(name, command, word);
}

export const commands: Readonly<Record<string, CliCommand>> = {
  start: single(startEntry, async () => (await import('./start.ts')).runStart),
  notes: single(notesEntry, async () => (await import('./notes.ts')).runNotes),
  version: single(versionEntry, async () => (await import('./version.ts')).runVersion),
  ranges: single(rangesEntry, async () => (await import('./ranges.ts')).runRanges),
  drafts: single(draftsEntry, async () => (await import('./ranges.ts')).runDrafts),
  pulls: single(pullsEntry, async () => (await import('./pulls.ts')).runPulls),
  dashboard: single(dashboardEntry, async () => (await import('./dashboard.ts')).runDashboard),
  keys: group(keysEntry, async () => (await import('./keys.ts')).keyActions),
  orgs: group(organizationsEntry, async () => (await import('./organizations.ts')).organizationActions),
  repos: group(repositoriesEntry, async () => (await import('./repositories.ts')).repositoryActions),
  'webhook-secrets': group(
    webhookSecretsEntry,
    async () => (await import('./webhook-secrets.ts')).webhookSecretActions,
  ),
  publish: single(publishEntry, async () => (await import('./publish.ts')).runPublish),
  channels: group(channelsEntry, async () => (await import('./channels.ts')).channelActions),
  webhooks: group(webhooksEntry, async () => (await import('./webhooks.ts')).webhookActions),
  send: single(sendEntry, async () => (await import('./send.ts')).runSend),
  deliveries: single(deliveriesEntry, async () => (await import('./received.ts')).runDeliveries),
  doctor: single(doctorEntry, async () => (await import('./doctor.ts')).runDoctor),
  backfill: single(backfillEntry, async () => (await import('./backfill.ts')).runBackfill),
  'dead-letters': group(deadLettersEntry, async () => (await import('./dead-letters.ts')).deadLetterActions),
  dump: single(dumpEntry, async () => (await import('./dump.ts')).runDump),
  snapshot: single(snapshotEntry, async () => (await import('./snapshots.ts')).runSnapshot),
  restore: single(restoreEntry, async () => (await import('./snapshots.ts')).runRestore),
  retention: group(retentionEntry, async () => (await import('./retention.ts')).retentionActions),
  cluster: group(clusterEntry, async () => (await import('./cluster.ts')).clusterActions),
  settings: single(settingsEntry, async () => (await import('./settings.ts')).runSettings),
  openapi: single(openApiEntry, async () => (await import('./openapi.ts')).runOpenApi),
  completion: completionCommand(() => commands),
  help: helpCommand,
};
