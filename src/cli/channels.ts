/**
 * `tidings channels list|put|test|remove`: manages channel connections of an organization or a repository. Settings are
 * read from a file. They are never read from the command line, where other users could see the secrets in them.
 */
import { readFileSync } from 'node:fs';
import { channelRoutes, putConnection, tryConnection } from '../api/channels.ts';
import { type ApiContext, readPartition, runCommand } from '../api/context.ts';
import { assertHostWritable } from '../api/publishable.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { type ChannelName, channelTraits } from '../protocol/channels.ts';
import { channelNames } from '../protocol/names.ts';
import { connectionInForce, type Owner } from '../store/connections.ts';
import { channelResponse, effectiveChannel } from '../store/tables/channels.ts';
import { withService } from './connection.ts';
import { printReply } from './json.ts';
import { findOrganization } from './organization.ts';
import { printLines } from './print.ts';
import { findRepository } from './repository.ts';
import type { channelsEntry } from './table/receivers.ts';
import { type Runs, UsageError } from './usage.ts';

/** Maximum length of a setting in a list. */
const maxShownLength = 120;

export const channelActions: Runs<typeof channelsEntry> = {
  list: async ({ json, ...given }) =>
    withService((context) => (json ? listJson : list)(context, ownerOf(context, given))),
  put: async (given, [channel, file = '']) => {
    const settings = readSettings(file);
    return withService((context) => put(context, ownerOf(context, given), channel as ChannelName, settings));
  },
  test: (given, [channel]) => withService((context) => test(context, ownerOf(context, given), channel as ChannelName)),
  remove: (given, [channel]) =>
    withService((context) => remove(context, ownerOf(context, given), channel as ChannelName)),
};

function readSettings(file: string): Record<string, unknown> {
  try {
    const settings = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // The parser's message is not shown. It quotes a part of the file, and this part could be a secret.
  throw new UsageError(`${file} does not contain a JSON object with the settings of a channel`);
}

function ownerOf({ readers }: ApiContext, { org, repo }: { org?: string; repo?: string }): Owner {
  if (org !== undefined) return { orgId: findOrganization(readers, org).id, repoId: null };
  const { id, orgId } = findRepository(readers, repo as string);
  return { orgId, repoId: id };
}

function listJson(context: ApiContext, { orgId, repoId }: Owner): Promise<number> {
  return printReply(context, channelRoutes, 'listChannels', { query: repoId === null ? { orgId } : { repoId } });
}

async function list(context: ApiContext, owner: Owner): Promise<number> {
  printLines(channelNames.map((channel) => describe(context, owner, channel)));
  return 0;
}

function describe(context: ApiContext, { orgId, repoId }: Owner, channel: ChannelName): string {
  const record = effectiveChannel(readPartition(context, directoryName), orgId, repoId, channel);
  const { source, settings } = channelResponse(channel, record, {});
  const secrets = channelTraits[channel].secrets.filter((field) => record?.secrets[field] !== undefined);
  const held = secrets.length > 0 ? `  and ${secrets.join(', ')}` : '';
  return `${channel.padEnd(17)}  ${String(source ?? 'not connected').padEnd(13)}  ${shortSettings(settings)}${held}`;
}

/** Returns settings as JSON. Long values, such as a logo, are cut. */
function shortSettings(settings: unknown): string {
  return JSON.stringify(settings, (_, value: unknown) =>
    typeof value === 'string' && value.length > maxShownLength ? `${value.slice(0, maxShownLength)}…` : value,
  );
}

async function put(
  context: ApiContext,
  owner: Owner,
  channel: ChannelName,
  settings: Record<string, unknown>,
): Promise<number> {
  await putConnection(context, owner, channel, settings);
  printLines([describe(context, owner, channel)]);
  return 0;
}

async function test(context: ApiContext, owner: Owner, channel: ChannelName): Promise<number> {
  if (owner.repoId === null && channelTraits[channel].needsRepository)
    throw new UsageError(`A test of the channel ${channel} needs a repository. Add --repo OWNER/REPO`);
  const directory = readPartition(context, directoryName);
  const connection = connectionInForce(context.sealer, directory, owner, channel);
  if (owner.repoId !== null) await assertHostWritable({ context, directory }, owner.repoId, channel);
  const { ok, message } = await tryConnection(context, connection, owner.repoId, channel);
  printLines([message]);
  return ok ? 0 : 1;
}

async function remove(context: ApiContext, owner: Owner, channel: ChannelName): Promise<number> {
  await runCommand(context, directoryName, { name: 'removeChannel', ...owner, channel });
  printLines([describe(context, owner, channel)]);
  return 0;
}
