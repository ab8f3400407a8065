/**
 * Tokens with which a machine joins a cluster. The node that makes a token keeps it in its data directory, and an operator
 * copies the file to the new machine. A token works once, and for one hour.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from '../foundation/ids.ts';
import { ClusterError } from './identity.ts';

/** A token. `node` is the name of the node that made it, and that answers its use. */
export interface JoinToken {
  id: string;
  cluster: string;
  node: string;
  /** Secret key of 32 bytes, in base64url. */
  key: string;
  /** Time of expiry, in milliseconds. */
  expires: number;
}

/** Time for which a token works, in milliseconds. */
export const tokenMs = 3_600_000;
/** How long a node remembers that a token was used, in milliseconds. */
const usedMs = 24 * tokenMs;
const keyBytes = 32;
const pattern = /^tidings-join\.v1\.([\w-]+)\.([0-9a-f]{16})$/;
const idPattern = /^[0-9a-z]{26}$/;

/** Makes a token and returns the path of its file. Removes earlier tokens that have expired. */
export function makeToken(
  dataDir: string,
  { cluster, node }: Pick<JoinToken, 'cluster' | 'node'>,
  now: number,
): string {
  mkdirSync(tokenFolder(dataDir), { recursive: true, mode: 0o700 });
  removeExpired(dataDir, now);
  const token: JoinToken = {
    ...{ id: ulid(now), cluster, node },
    key: randomBytes(keyBytes).toString('base64url'),
    expires: now + tokenMs,
  };
  const file = tokenFile(dataDir, token.id);
  writeFileSync(`${file}.new`, `${textOf(token)}\n`, { mode: 0o600, flush: true } as object);
  renameSync(`${file}.new`, file);
  return file;
}

/** Reads the file of a token on the new machine. */
export function readTokenFile(file: string): JoinToken {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClusterError(`The token cannot be read: ${(error as Error).message}`);
  }
  return parseToken(text, file);
}

/** What a node knows about a token: it can be used, was used, or is unknown here. */
export type KnownToken = { state: 'open'; token: JoinToken } | { state: 'used' } | { state: 'unknown' };

/** Looks up a token that this node made. */
export function findToken(dataDir: string, id: string): KnownToken {
  // The id becomes a part of a path.
  if (!idPattern.test(id)) return { state: 'unknown' };
  const file = tokenFile(dataDir, id);
  if (existsSync(usedFile(dataDir, id))) return { state: 'used' };
  return existsSync(file)
    ? { state: 'open', token: parseToken(readFileSync(file, 'utf8'), file) }
    : { state: 'unknown' };
}

/** Uses a token up. Its key is removed from the disk. Returns false if it was used before. */
export function useUp(dataDir: string, { id }: JoinToken): boolean {
  try {
    renameSync(tokenFile(dataDir, id), usedFile(dataDir, id));
  } catch {
    return false;
  }
  writeFileSync(usedFile(dataDir, id), '');
  return true;
}

function parseToken(text: string, file: string): JoinToken {
  const [, content = '', checksum] = pattern.exec(text.trim()) ?? [];
  if (checksum === undefined) {
    throw new ClusterError(
      `${file} is not a token: expected the file that "tidings cluster init" names on another node.`,
    );
  }
  if (checksum !== checksumOf(content)) {
    throw new ClusterError(`The token in ${file} was changed. Copy the file again, byte by byte.`);
  }
  return JSON.parse(Buffer.from(content, 'base64url').toString()) as JoinToken;
}

function textOf(token: JoinToken): string {
  const content = Buffer.from(JSON.stringify(token)).toString('base64url');
  return `tidings-join.v1.${content}.${checksumOf(content)}`;
}

/** Returns a text that shows whether a token was copied completely. It protects against nothing else. */
function checksumOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function removeExpired(dataDir: string, now: number): void {
  const folder = tokenFolder(dataDir);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - made > (name.endsWith('.token') ? tokenMs : usedMs)) rmSync(path, { force: true });
  }
}

function tokenFolder(dataDir: string): string {
  return join(dataDir, 'join-tokens');
}

function tokenFile(dataDir: string, id: string): string {
  return join(tokenFolder(dataDir), `${id}.token`);
}

function usedFile(dataDir: string, id: string): string {
  return join(tokenFolder(dataDir), `${id}.used`);
}
