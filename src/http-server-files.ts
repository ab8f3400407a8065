/**
 * Compares the files of the native HTTP server with those that were reviewed (`config/http-server.json`, `docs/provenance.md`).
 * Its machine code runs before any authentication.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The reviewed files of one version. */
export interface ReviewedServer {
  package: string;
  version: string;
  /** By npm package: the file of the upstream release that it has to equal, and the SHA-1 that git names that file by. */
  binaries: Record<string, { upstreamFile: string; gitBlob: string }>;
  /** SHA-256 of the JavaScript that loads a binary. */
  scripts: Record<string, string>;
}

/** What the comparison found: a text for doctor, and whether something differs. */
export interface ServerFinding {
  same: boolean;
  text: string;
}

/** The installed HTTP server is not the reviewed one. */
export class HttpServerError extends Error {}

const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

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
  if (!binary) return { same: false, text: `HTTP server: ${name} is not in config/http-server.json` };
  const file = createRequire(join(folder, 'uws.js')).resolve(`${name}/uws.node`);
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
    if (found !== wanted) return { same: false, text: `HTTP server: ${path} is ${found}, expected ${wanted}` };
  return { same: true, text: `HTTP server ${reviewed.version} is the reviewed one (${name}, ${binary.gitBlob})` };
}

function scriptEntry(path: string, expected: string): [string, string, string] {
  return [path, sha256(readFileSync(path)), expected];
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Refuses a server that differs, before a process loads it.
 * @throws HttpServerError
 */
export function requireReviewedServer(): void {
  const { same, text } = checkServerFiles();
  if (!same) throw new HttpServerError(`${text}. Install it anew with npm run setup, or see docs/provenance.md.`);
}

/** The name that git gives a file's content. */
function gitBlob(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
