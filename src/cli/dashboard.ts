/**
 * `tidings dashboard`: prints a link that signs a browser in once. The link contains a sign-in code after `#`, so
 * browsers do not send the code with the request for the page, and no proxy logs it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { type ApiContext, readPartition, runCommand } from '../api/context.ts';
import { isLoopbackHost } from '../api/session-cookie.ts';
import { hashKey } from '../foundation/api-key.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { hashSessionSecret, newSessionSecret } from '../foundation/session-secret.ts';
import { keyByHash, readKey } from '../store/tables/directory.ts';
import { adminKeyFile } from '../supervisor/first-start.ts';
import { withService } from './connection.ts';
import { printJson } from './json.ts';
import { printLines, printMessage } from './print.ts';
import type { dashboardEntry } from './table/access.ts';
import { NotFoundError, type Run } from './usage.ts';

/** Addresses that a server listens on for all networks. A browser cannot open them. */
const anyAddress: readonly string[] = ['0.0.0.0', '::'];

export const runDashboard: Run<typeof dashboardEntry> = ({ key: wanted, json }) =>
  withService(async (context) => {
    const keyId = wanted ?? adminKeyId(context);
    const directory = readPartition(context, directoryName);
    const known = readKey(directory, keyId);
    if (!known) throw new NotFoundError(`API key ${JSON.stringify(keyId)} is not found.`);
    const code = newSessionSecret();
    const command = { name: 'createSignInCode', keyId, code: hashSessionSecret(code) } as const;
    const { expiresAt } = await runCommand<{ expiresAt: number }>(context, directoryName, command);
    const address = addressOf(context.settings);
    const url = `${address}/#k=${code}`;
    if (json) return printJson({ url, keyId, expiresAt: new Date(expiresAt).toISOString() });
    printLines([url]);
    printMessage(`The link works once, within ten minutes. It signs a browser in as ${keyId} (${known.name}).`);
    if (isInsecure(address)) printMessage(`A browser cannot sign in at ${address}, because it is not https.`);
    return 0;
  });

/** Whether the service refuses browsers that sign in at an address. */
function isInsecure(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'http:' && !isLoopbackHost(url.host);
}

/** Returns the id of the key that the first start created. */
function adminKeyId(context: ApiContext): string {
  const file = adminKeyFile(context.settings.dataDir);
  const key = existsSync(file)
    ? keyByHash(readPartition(context, directoryName), hashKey(readFileSync(file, 'utf8').trim()))
    : undefined;
  if (key && key.revokedAt === null && key.rotatedTo === undefined) return key.id;
  const state = key ? `The key in ${file} was revoked or rotated` : `${file} does not contain a key of this service`;
  throw new NotFoundError(`${state}. Name another key with --key. To list the keys, run: tidings keys list`);
}

function addressOf(settings: Settings): string {
  const { publicUrl, host, port } = settings;
  if (publicUrl === '' && port === 0) {
    throw new Error('The port of the service is not known, because TIDINGS_PORT is 0. Set TIDINGS_PUBLIC_URL');
  }
  return publicUrlOf({ publicUrl, host: anyAddress.includes(host) ? '127.0.0.1' : host, port });
}
