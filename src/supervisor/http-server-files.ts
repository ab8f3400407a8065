/**
 * Compares the installed files of the native HTTP server with the reviewed files (`config/http-server.json`,
 * `docs/provenance.md`). They are compared because the server's machine code handles requests before any
 * authentication.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../foundation/logger.ts';

/** The reviewed files of one version of the HTTP server. */
export interface ReviewedServer {
  package: string;
  version: string;
  /**
   * One entry per npm package with a binary. The binary must equal the file `upstreamFile` of the upstream release.
   * `gitBlob` is the git blob id (SHA-1) of that file. `compared` is true if the binary was compared with that file
   * when this list was created.
   */
  binaries: Record<string, { upstreamFile: string; gitBlob: string; compared: boolean }>;
  /** SHA-256 of each JavaScript file that loads a binary, by file name. */
  scripts: Record<string, string>;
}

/**
 * Result of the comparison. `unsure` means that the binary differs from the list, but that the list itself may be
 * wrong. The list may be wrong if the binary for this platform was not compared when the list was created.
 */
export interface ServerFinding {
  verdict: 'same' | 'unsure' | 'different';
  text: string;
}

/** Thrown when the installed HTTP server differs from the reviewed one. */
export class HttpServerError extends Error {}

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns the list of reviewed files. */
export function reviewedServer(): ReviewedServer {
  return JSON.parse(readFileSync(join(projectRoot, 'config/http-server.json'), 'utf8'));
}

/** Returns the folder of the installed package that loads the binary. */
export function installedServer(): string {
  return dirname(createRequire(import.meta.url).resolve('uWebSockets.js'));
}

/**
 * Compares the files that Node.js would load on this machine: the binary for this platform, and each script that loads
 * it.
 */
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
  return {
    verdict: 'same',
    text: `HTTP server ${reviewed.version} matches the reviewed version (${name}, ${binary.gitBlob})`,
  };
}

/**
 * Returns the path of the binary; undefined if its package is missing. The package is optional, so npm skips it
 * silently if it cannot be installed.
 */
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
 * Checks the files of the native HTTP server before a process loads them. Throws if they differ from the reviewed
 * files. If the list of reviewed files itself may be wrong (`unsure`), this function only logs a warning.
 * @throws HttpServerError
 */
export function requireReviewedServer(logger: Logger, { verdict, text } = checkServerFiles()): void {
  if (verdict === 'unsure') logger.warn(`${text}: see docs/provenance.md`);
  if (verdict === 'different') {
    throw new HttpServerError(`${text}. Install it again with npm run setup, or see docs/provenance.md.`);
  }
}

/** Returns the git blob id of a file's content. */
function gitBlob(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
