/**
 * Publishes a file by pull request: commits the file to a branch of its own and opens a pull request from this branch. A
 * version and a file have one pull request, which is updated while it is open. Each step first looks at the host, so an
 * attempt that was interrupted at any point goes on where it stopped and opens no second pull request.
 */
import { createHash } from 'node:crypto';
import { publicationPullLines, publicationPullMarker, publicationTrailer } from '../../protocol/publications.ts';
import { type Delivered, DeliveryError, type HostAccess, type HostPull, type Note } from '../channel.ts';

/** The pull request as the preview shows it. */
export interface PullPayload {
  /**
   * The branch that the pull request comes from. If an earlier pull request from it has ended, the next one comes from
   * this branch with a number: `tidings/notes-v1.1.0@2`.
   */
  branch: string;
  title: string;
  body: string;
}

/** A pull request to open or to update, and the commit in it. */
export interface Proposal {
  pull: PullPayload;
  /** The branch that the pull request is to be merged into. */
  base: string;
  version: string;
  publicationId: string;
  /** Commits the notes to a branch, unless its file contains them already. */
  commit: (branch: string) => Promise<unknown>;
  /** Returns the address of the file if the base contains the notes already; otherwise null. */
  published: () => Promise<string | null>;
}

/** Path that the name of a branch leaves out. */
const usualPath = 'CHANGELOG.md';
/** Maximum number of pull requests for one version and file. */
const maxPulls = 50;
/** Maximum length of the last part of a branch name. Hosts store it as the name of a file. */
const maxNameLength = 180;
/** Maximum length of a title, in characters. Gitea refuses more than 255. */
const maxTitleLength = 240;

/** Returns the pull request that publishes a version to a file. */
export function pullOf(
  { version, publicationId, repository }: Note,
  { path, base, title }: { path: string; base: string; title: string },
): PullPayload {
  const name = nameOf(version, path === usualPath ? null : path, base === repository.defaultBranch ? null : base);
  const branch = `tidings/notes-${name}`;
  const lines = [`<!-- ${publicationPullMarker} ${branch} -->`, ...publicationPullLines, '', trailerOf(publicationId)];
  return { branch, title: [...title].slice(0, maxTitleLength).join(''), body: `${lines.join('\n')}\n` };
}

/**
 * Opens or updates the pull request of a version and file.
 * @throws DeliveryError `refused` when a person has closed the pull request of this publication
 */
export async function propose(host: HostAccess, proposal: Proposal): Promise<Delivered> {
  const { pull, base, version, publicationId } = proposal;
  let merged: HostPull | null = null;
  for (let number = 1; number <= maxPulls; number++) {
    const head = number === 1 ? pull.branch : `${pull.branch}@${number}`;
    const existing = await host.findPull(head, base);
    if (!existing) return open(host, proposal, head, merged);
    if (existing.state === 'open') {
      await proposal.commit(head);
      return toDelivered(await withText(host, existing, pull), version);
    }
    const isSame = existing.body.includes(trailerOf(publicationId));
    if (isSame && existing.state === 'merged') return toDelivered(existing, version);
    if (isSame)
      throw new DeliveryError(
        'refused',
        `Pull request #${existing.number} of this publication was closed. Reopen it and resend the publication, or publish a later revision.`,
      );
    if (existing.state === 'merged') merged = existing;
  }
  throw new DeliveryError(
    'refused',
    `The repository has ${maxPulls} closed pull requests with notes of ${version}, so the service opens no more.`,
  );
}

/** Opens a pull request, unless the base contains the notes already. `merged` is the newest one that was merged. */
async function open(
  host: HostAccess,
  { pull: { title, body }, base, version, commit, published }: Proposal,
  head: string,
  merged: HostPull | null,
): Promise<Delivered> {
  const file = await published();
  if (file !== null) return toDelivered(merged ?? { url: file }, version);
  await host.createBranch(head, base);
  await commit(head);
  const made = await host.createPull({ head, base, title, body });
  return toDelivered(await withText(host, made, { title, body }), version);
}

/** Updates the title and the text of a pull request. A text that a person has written without the marker stays. */
async function withText(
  host: HostAccess,
  existing: HostPull,
  { title, body }: Omit<PullPayload, 'branch'>,
): Promise<HostPull> {
  const isOwn = existing.body.includes(`<!-- ${publicationPullMarker} `);
  const isSame = existing.title === title && existing.body.replaceAll('\r\n', '\n').trim() === body.trim();
  return !isOwn || isSame ? existing : host.updatePull(existing.number, { title, body });
}

function toDelivered({ url }: Pick<HostPull, 'url'>, version: string): Delivered {
  return { url: url || null, reference: version };
}

function trailerOf(publicationId: string): string {
  return `${publicationTrailer}: ${publicationId}`;
}

/**
 * Returns the last part of a branch name: the version, then `@` and the path, then `@@` and the branch to merge into.
 * The usual path and the default branch are left out.
 */
function nameOf(version: string, path: string | null, base: string | null): string {
  const parts = [encodeRef(version), path && `@${encodeRef(path)}`, base && `@@${encodeRef(base)}`];
  const name = parts.filter((part) => part !== null).join('');
  if (name.length <= maxNameLength) return name;
  return `${name.slice(0, maxNameLength / 2)}@${createHash('sha256').update(name).digest('hex')}`;
}

/**
 * Encodes every character that a branch name may not contain, or may not contain everywhere, as `=` and hexadecimal
 * digits: `release/1.0 rc..lock` becomes `release=2F1.0=20rc=2E=2Elock`. A dot stays between two other characters.
 */
function encodeRef(text: string): string {
  return text.replace(/[^\w.-]|\.(?=\.|$|lock$)|(?<=\.)\./gu, (sign) =>
    [...Buffer.from(sign)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
