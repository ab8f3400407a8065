/**
 * The list of commands.
 */
import { backfillCommand } from './backfill.ts';
import { channelsCommand } from './channels.ts';
import { deadLettersCommand } from './dead-letters.ts';
import { doctorCommand } from './doctor.ts';
import { dumpCommand } from './dump.ts';
import { keysCommand } from './keys.ts';
import { openApiCommand } from './openapi.ts';
import { organisationsCommand } from './organisations.ts';
import { printText } from './print.ts';
import { publishCommand } from './publish.ts';
import { repositoriesCommand } from './repositories.ts';
import { retentionCommand } from './retention.ts';
import { sendCommand } from './send.ts';
import { settingsCommand } from './settings.ts';
import { restoreCommand, snapshotCommand } from './snapshots.ts';
import { startCommand } from './start.ts';
import type { CliCommand } from './usage.ts';
import { webhookSecretsCommand } from './webhook-secrets.ts';
import { webhooksCommand } from './webhooks.ts';

const helpCommand: CliCommand = {
  usage: 'help',
  help: 'Shows the commands',
  run: async () => {
    const lines = Object.values(commands).map(({ usage, help }) => `  tidings ${usage}\n      ${help}`);
    printText(`Tidings: release notes from merged pull requests.\n\n${lines.join('\n')}`);
    return 0;
  },
};

export const commands: Readonly<Record<string, CliCommand>> = {
  start: startCommand,
  keys: keysCommand,
  orgs: organisationsCommand,
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
  help: helpCommand,
};
