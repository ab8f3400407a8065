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

/** Compares what this Node on this machine would load. */
export function checkServerFiles(folder = installedServer(), reviewed = reviewedServer()): ServerFinding {
  const name = `@uwsjs/${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`;
  const binary = reviewed.binaries[name];
  if (!binary) return { same: false, text: `HTTP server: ${name} is not in config/http-server.json` };
  const file = createRequire(join(folder, 'uws.js')).resolve(`${name}/uws.node`);
  const files: [string, string, string][] = [
    [file, gitBlob(readFileSync(file)), binary.gitBlob],
    ...Object.entries(reviewed.scripts).map(([script, expected]): [string, string, string] => {
      const path = join(folder, script);
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex'), expected];
    }),
  ];
  for (const [path, found, expected] of files)
    if (found !== expected) return { same: false, text: `HTTP server: ${path} is ${found}, expected ${expected}` };
  return { same: true, text: `HTTP server ${reviewed.version} is the reviewed one (${name}, ${binary.gitBlob})` };
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
