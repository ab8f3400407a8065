/**
 * Reads dependency updates and chains those of one package into a line: from where it stood to where it stands now.
 */
import type { PullRecord } from '../protocol/stored.ts';
import { byText } from './labels.ts';
import { parseTitle } from './title.ts';

/** One package, or one group of packages, with all its updates of a range in merge order. */
export interface DependencyUpdate {
  /** Name of the package; the whole title where that names none. */
  name: string;
  from: string | null;
  to: string | null;
  pulls: PullRecord[];
}

const bump =
  /^(?:build\(deps[^)]*\): )?bumps? (?:the )?([^\s]{1,200}) from ([^\s]{1,80}) to ([^\s]{1,80})(?: (?:in|across) .{1,300})?$/i;
const update =
  /^(?:updates?|bumps?) (?:dependency )?([^\s]{1,200}) (?:action |digest |docker tag )?to ([^\s]{1,80})(?: (?:in|across) .{1,300})?$/i;

/** How many packages and folders a group touched differs each time; its name is what stays. */
const group = /^(?:bumps?|updates?) (?:the )?([^\s]{1,200}) group(?: |$)/i;

/** A title that tells of an update of what the project depends on. */
export function isUpdate(text: string): boolean {
  return /^(?:bumps?|updates? (?:dependency|dependencies|module|all|the .{1,80} group)|\[?pre-commit|lock file maintenance|pin dependenc)/i.test(
    text,
  );
}

/** Updates by package in alphabetical order; each chain runs from its first `from` to its last `to`. */
export function chainUpdates(pulls: readonly PullRecord[]): DependencyUpdate[] {
  const chains = new Map<string, DependencyUpdate>();
  for (const pull of pulls) {
    const read = readUpdate(parseTitle(pull.title).text);
    const key = `${read.to === null ? 'title' : 'package'} ${read.name}`;
    const chain = chains.get(key);
    if (!chain) {
      chains.set(key, { ...read, pulls: [pull] });
      continue;
    }
    chain.pulls.push(pull);
    chain.to = read.to;
  }
  return [...chains.values()].sort((a, b) => byText(a.name, b.name));
}

function readUpdate(text: string): Omit<DependencyUpdate, 'pulls'> {
  const grouped = group.exec(text);
  if (grouped) return { name: `${grouped[1]} group`, from: null, to: null };
  const bumped = bump.exec(text);
  if (bumped) return { name: bumped[1] as string, from: bumped[2] as string, to: bumped[3] as string };
  const updated = update.exec(text);
  if (updated && /\d/.test(updated[2] as string))
    return { name: updated[1] as string, from: null, to: updated[2] as string };
  return { name: text, from: null, to: null };
}
