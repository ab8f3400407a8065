/** Reads the files in `deploy/`: Compose files, environments, systemd units and Kubernetes manifests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns the path of a file of the repository. */
export function pathOf(file: string): string {
  return join(root, file);
}

export function readText(file: string): string {
  return readFileSync(pathOf(file), 'utf8');
}

/** Reads a YAML file in which mappings may be merged with `<<`. */
export function readYaml<T>(file: string): T {
  return parse(readText(file), { merge: true }) as T;
}

/** Reads a file of several YAML documents by the rules of Kubernetes, where 0440 is octal. */
export function readManifests<T>(file: string): T[] {
  return parseAllDocuments(readText(file), { version: '1.1' }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join()}`);
    return document.toJS() as T;
  });
}

/** Returns the variables of a file with lines like NAME=value. A value in single quotes is taken literally. */
export function readEnvironment(file: string): Record<string, string> {
  const lines = readText(file).matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value = '']) => [name, value.replace(/^'(.*)'$/, '$1')]));
}

/** A line of a systemd unit. */
export interface UnitLine {
  section: string;
  name: string;
  value: string;
}

/** Parses a systemd unit. Throws at a line that is neither a section, an assignment nor a comment. */
export function readUnit(text: string): UnitLine[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, head] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (head !== undefined) {
      section = head;
      return [];
    }
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || section === '') throw new Error(`not a line of a unit: ${line}`);
    return [{ section, name, value }];
  });
}
