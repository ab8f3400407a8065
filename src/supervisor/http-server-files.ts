/**
 * Compares the files of the native HTTP server with those that were reviewed (`config/http-server.json`, `docs/provenance.md`).
 * Its machine code runs before any authentication.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../foundation/logger.ts';

/** The reviewed files of one version. */
export interface ReviewedServer {
  package: string;
  version: string;
  /**
   * By npm package: the file of the upstream release that it has to equal, the SHA-1 that git names that file by, and whether
   * the two were compared when the list was made.
   */
  binaries: Record<string, { upstreamFile: string; gitBlob: string; compared: boolean }>;
  /** SHA-256 of the JavaScript that loads a binary. */
  scripts: Record<string, string>;
}

/** What the comparison found. `unsure`: a difference on a platform whose package could not be compared when the list was made. */
export interface ServerFinding {
  verdict: 'same' | 'unsure' | 'different';
  text: string;
}

/** The installed HTTP server is not the reviewed one. */
export class HttpServerError extends Error {}

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** The list of reviewed files. */
export function reviewedServer(): ReviewedServer {
  return JSON.parse(readFileSync(join(projectRoot, 'config/http-server.json'), 'utf8'));
}

/** Folder of the installed package that loads the binary. */
export function installedServer(): string {
  return dirname(createRequire(import.meta.url).resolve('uWebSockets.js'));
}

/** Compares what this Node on this machine would load: the binary, and each script on the way to it. */
export function checkServerFiles(folder = installedServer(), reviewed = reviewedServer()): ServerFinding {
  const { platform, arch, versions } = process;
  const name = `@uwsjs/${platform}-${arch}-${versions.node.split('.')[0]}`;
  const binary = reviewed.binaries[name];
  if (!binary) return { verdict: 'different', text: `HTTP server: ${name} is not in config/http-server.json` };
  const file = resolveBinary(folder, name);
  if (!file) return { verdict: 'different', text: `HTTP server: ${name} is not installed` };
  const files: [path: string, found: string, wanted: string][] = [
    [file, gitBlob(readFileSync(file)), binary.gitBlob],
    ...Object.entries(reviewed.scripts).map(([script, hash]) => scriptEntry(join(folder, script), hash)),
    scriptEntry(
      join(folder, `uws_${platform}_${arch}_${versions.modules}.node.js`),
      sha256(`module.exports = require('${name}');`),
    ),
    scriptEntry(join(dirname(file), 'index.js'), sha256("module.exports = require('./uws.node');\n")),
  ];
  for (const [path, found, wanted] of files)
    if (found !== wanted) {
      const verdict = path === file && !binary.compared ? 'unsure' : 'different';
      return { verdict, text: `HTTP server: ${path} is ${found}, expected ${wanted}` };
    }
  return { verdict: 'same', text: `HTTP server ${reviewed.version} is the reviewed one (${name}, ${binary.gitBlob})` };
}

/** npm leaves an optional package out without a word when it cannot have it. */
function resolveBinary(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, 'uws.js')).resolve(`${name}/uws.node`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function scriptEntry(path: string, expected: string): [string, string, string] {
  return [path, sha256(readFileSync(path)), expected];
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Refuses a server that differs, before a process loads it; where it may be the list that is wrong, warns.
 * @throws HttpServerError
 */
export function requireReviewedServer(logger: Logger, { verdict, text } = checkServerFiles()): void {
  if (verdict === 'unsure') logger.warn(`${text}: see docs/provenance.md`);
  if (verdict === 'different') {
    throw new HttpServerError(`${text}. Install it anew with npm run setup, or see docs/provenance.md.`);
  }
}

/** The name that git gives a file's content. */
function gitBlob(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
