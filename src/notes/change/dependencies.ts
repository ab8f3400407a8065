/** Reads dependency updates, and joins the updates of one package into one line with its first and last version. */
import type { PullRecord } from '../../protocol/stored.ts';
import { byText } from './labels.ts';
import type { ChangeRecord } from './record.ts';
import { parseTitle } from './title.ts';

/** One package, or one group of packages, with its updates in the range. The updates are in merge order. */
export interface DependencyUpdate {
  /** Name of the package, or the whole title if the title names no package. */
  name: string;
  from: string | null;
  to: string | null;
  pulls: PullRecord[];
}

const verb = '(?:bump(?:ed|s)?|updates?|(?:security )?upgrades?|pin)(?: the)?';
const sort = '(?:dependency |module |package |rust crate |helm release |terraform |requirement for )?';
const name = String.raw`(\S{1,200}(?: (?:monorepo|packages))?)`;
const after = '(?: (?:in|across) .{1,300})?';
const bump = new RegExp(`^${verb} ${sort}${name}(?: requirement)? from (\\S{1,80}) to (\\S{1,80})${after}$`, 'i');
const update = new RegExp(
  `^${verb} ${sort}${name}(?: (?:action|digest|docker tag|version))? to (?:latest version )?(\\S{1,80})${after}$`,
  'i',
);
/**
 * Matches the title of a group update. The number of packages and folders in a group differs in each title. Only the
 * name of the group stays the same.
 */
const group = /^(?:bumps?|updates?) (?:the )?([^\s]{1,200}) group(?: |$)/i;
const appended = /(?:\s*(?:\[security\]|\((?:major|minor|patch|release\S{1,40})\)|- autoclosed))+$/i;
/** Matches titles that name dependencies as a whole, which also people write. */
const generalUpdates = [
  /^(?:updates?|upgrades?) (?:dependency|dependencies|module|all|(?:the )?lock ?file|(?:the )?.{1,80} (?:group|digest|monorepo|packages))\b/i,
  /^(?:replace dependency|lock file maintenance|(?:\[pre-commit\.ci\] )?pre-commit autoupdate|(?:scheduled )?(?:daily|weekly|monthly|initial) (?:dependency )?update)/i,
  /^package.json & .{1,60} to reduce vulnerabilities$/i,
];
const updates = [
  /^(?:bump(?:ed|s)?|pin|unpin|roll) /i,
  /^(?:security )?(?:updates?|upgrades?) \S.{0,200} to (?:latest version )?v?[\da-f]*\d/i,
  ...generalUpdates,
];
const updaters =
  /(?:^|[-_])(?:(?:dependabot|greenkeeper|depfu|scala-steward|pre-commit-ci)(?:[-_[]|$)|(?:renovate|pyup|snyk)[\w-]{0,250}(?:[-_]bot|\[bot\])$)|^renovate$/i;

/** Whether a title describes an update of a dependency. */
export function isUpdate(text: string): boolean {
  return updates.some((pattern) => pattern.test(text));
}

/** Whether a login is a bot that only updates dependencies. */
export function isUpdater(login: string): boolean {
  return updaters.test(login);
}

/**
 * Returns the text that people of the project wrote. The body of a dependency update is left out, because it quotes
 * release notes of the dependency.
 */
export function ownWords({ author, body }: Pick<ChangeRecord, 'author' | 'body'>): string {
  return isUpdater(author.login) ? '' : body;
}

/**
 * Joins the updates of each package into one update. The joined update runs from the first `from` to the last `to` of
 * the package. Packages are in alphabetical order.
 */
export function chainUpdates(pulls: readonly PullRecord[]): DependencyUpdate[] {
  const chains = new Map<string, DependencyUpdate>();
  for (const pull of pulls) {
    const read = readUpdate(parseTitle(pull.title).text.replace(appended, ''));
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

/** Matches the name of a package, such as `tls`, `@acme/tls` or `acme.example/x/tls`, and its new version. */
const listed = String.raw`(?:@[\w.-]{1,60}\/)?\w[\w.+-]{0,100}(?:\/[\w.+-]{1,60}){0,6}(?: (?:from v?\d[\w.+-]{0,60} )?to v?\d[\w.+-]{0,60})?`;
/** Matches an update of one or more packages. Any other words after "Update" may be details of a problem. */
const updated = new RegExp(
  `^(?:bump(?:ed|s)?|(?:security )?updates?|(?:security )?upgrades?|pin)(?: the)?(?: dependency| module| package)? (${listed}(?:(?:, (?:and )?| and | & )${listed}){0,20})$`,
  'i',
);
const packageName = new RegExp(`^${listed}(?: (?:monorepo|packages|group))?$`);
/**
 * Matches a title that updates a package to a version or to a commit, as people write it: `Bump to acme/tls v1.2`,
 * `Bump tls to 1f3a9c2`.
 */
const toVersion =
  /^(?:bump(?:ed|s)?|updates?|upgrades?|pin) (?:\S{1,200} ){0,3}?(?:to|from) (?!version )(?:\S{1,200} )?(?:v?\d+\.\d|(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}$)/i;
/**
 * Matches the reason that some titles give for an update: `Bump tls to 1.2.3 to fix CVE-2026-12345`, `Update tls
 * (CVE-2026-12345)`.
 */
const reason =
  /[,;:]? [([]?(?:(?:to (?:fix|address|resolve|mitigate|patch|remediate)|due to|because of|for|fixing|addressing|fix(?:es)?|in order to)\b|CVE-\d|GHSA-)[\s\S]*$/i;

/** Returns the packages that a title updates, as the title names them. Returns undefined for any other title. */
export function updatedPackages(title: string): string | undefined {
  const text = parseTitle(title).text.replace(appended, '').replace(reason, '');
  const { name } = readUpdate(text);
  return name !== text && packageName.test(name) ? name : updated.exec(text)?.[1];
}

/** Whether a title that a person wrote updates a dependency: it names a version, or dependencies as a whole. */
export function isNamedUpdate(text: string): boolean {
  return toVersion.test(text) || generalUpdates.some((pattern) => pattern.test(text));
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
