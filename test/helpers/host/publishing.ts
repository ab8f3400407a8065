/**
 * Simulates writes of releases, files and branches to a test host, under the rules of GitHub or Gitea. The test host
 * refuses the same writes as the real host: a second release of a tag, a change to an outdated version of a file, a
 * commit to a protected branch, a branch that exists already, and a text that is too long. GitHub and Gitea both create
 * the tag of a release when the tag is missing. `proposals.ts` simulates pull requests.
 */
import { createHash } from 'node:crypto';
import type { Reply } from './app.ts';
import type { History } from './history.ts';
import type { HostKind } from './lists.ts';
import { Proposals } from './proposals.ts';
import { type Place, releaseShape, type Shape } from './shapes.ts';

interface Release {
  id: number;
  tag_name: string;
  name: string;
  body: string;
  draft: boolean;
  prerelease: boolean;
}

/** Maximum length of a release's body, in characters. */
const maxBodyLength = 125_000;
/** Size in bytes above which the contents API omits the text of a file. */
const largestInline = 1024 * 1024;

export class Publishing {
  readonly releases: Release[] = [];
  /** Messages of the commits that were made by writes, oldest first. */
  readonly commits: string[] = [];
  /** Branches that refuse commits. */
  readonly guarded = new Set<string>();
  /** Message of a refused commit, for tests of other wordings; by default the usual one of the host. */
  guardedMessage: { status: number; message: string } | undefined;
  readonly proposals: Proposals;
  private readonly files = new Map<string, Buffer>();
  private readonly history: History;
  private readonly kind: HostKind;
  private readonly place: () => Place;

  constructor(history: History, kind: HostKind, place: () => Place) {
    this.history = history;
    this.kind = kind;
    this.place = place;
    this.proposals = new Proposals(history, kind, place, this);
  }

  /** Returns the text of a file; undefined when the file does not exist. */
  text(path: string, branch = this.history.defaultBranch): string | undefined {
    return this.files.get(`${branch}:${path}`)?.toString('utf8');
  }

  /** Writes a file directly, as if another person had committed it. */
  put(path: string, content: string | Buffer, branch = this.history.defaultBranch): void {
    this.files.set(`${branch}:${path}`, Buffer.from(content));
  }

  /**
   * Returns the answer to a GET; undefined for paths that another module answers. Lists are returned whole, and the
   * server divides them into pages.
   */
  read(rest: string, query: URLSearchParams): Reply | undefined {
    const [area = '', ...names] = rest.split('/').map(decodeURIComponent);
    if (rest === 'releases') return { status: 200, body: this.allReleases() };
    if (area === 'releases' && names[0] === 'tags') return this.publishedOf(names.slice(1).join('/'));
    if (area === 'contents') return this.contents(names.join('/'), query.get('ref') ?? this.history.defaultBranch);
    if (area === 'git' && names[0] === 'blobs') return this.blob(names[1] ?? '');
    if (area === 'pulls') return this.proposals.read(names, query);
    if (area !== 'branches' || names.length === 0) return undefined;
    const name = names.join('/');
    const sha = this.history.branches.get(name);
    if (sha === undefined) return notFound;
    return { status: 200, body: { name, commit: this.kind === 'gitea' ? { id: sha } : { sha } } };
  }

  /** Returns the answer to a write; undefined for paths that do not allow writes. */
  write(method: string, rest: string, sent: string): Reply | undefined {
    const body = JSON.parse(sent) as Shape;
    const [area = '', ...names] = rest.split('/').map(decodeURIComponent);
    if (rest === 'releases' && method === 'POST') return this.createRelease(body);
    if (area === 'releases' && method === 'PATCH') return this.changeRelease(Number(names[0]), body);
    if (rest === 'pulls' && method === 'POST') return this.proposals.create(body);
    if (area === 'pulls' && method === 'PATCH') return this.proposals.change(Number(names[0]), body);
    if (this.kind === 'github' && rest === 'git/refs' && method === 'POST')
      return this.branch(String(body.ref).replace('refs/heads/', ''), body.sha);
    if (this.kind === 'gitea' && rest === 'branches' && method === 'POST')
      return this.branch(String(body.new_branch_name), body.old_ref_name);
    const creates = this.kind === 'gitea' && method === 'POST';
    if (area === 'contents' && (method === 'PUT' || creates)) return this.commit(names.join('/'), body, creates);
    return undefined;
  }

  private allReleases(): Shape[] {
    const earlier = this.history.releases.map((name) => releaseShape(name, this.history, this.place()));
    return [...this.releases.map((release) => this.shape(release)).reverse(), ...earlier];
  }

  private publishedOf(tag: string): Reply {
    const found = this.allReleases().find((release) => release.tag_name === tag && release.draft === false);
    return found ? { status: 200, body: found } : notFound;
  }

  private createRelease(sent: Shape): Reply {
    const { tag_name: tag, target_commitish: target } = sent as { tag_name: string; target_commitish?: string };
    const others = this.allReleases().filter((release) => release.tag_name === tag);
    // GitHub allows several draft releases for one tag.
    const doubled = this.kind === 'gitea' ? others.length > 0 : others.some((release) => release.draft === false);
    if (doubled && !(this.kind === 'github' && sent.draft === true)) {
      if (this.kind === 'gitea') return { status: 409, body: { message: 'Release is has no Tag' } };
      return invalid([{ resource: 'Release', code: 'already_exists', field: 'tag_name' }]);
    }
    const tooLong = this.bodyFault(sent);
    if (tooLong) return tooLong;
    if (!this.history.tags.some(({ name }) => name === tag) && sent.draft !== true)
      this.history.tags.push({ name: tag, sha: target ?? 'f'.repeat(40), pushedAt: 0 });
    const usual = {
      id: 90_000 + this.releases.length,
      tag_name: '',
      name: '',
      body: '',
      draft: false,
      prerelease: false,
    };
    const release: Release = Object.assign(usual, pick(sent));
    this.releases.push(release);
    return { status: 201, body: this.shape(release) };
  }

  private changeRelease(id: number, sent: Shape): Reply {
    const release = this.releases.find((candidate) => candidate.id === id);
    if (!release) return notFound;
    const tooLong = this.bodyFault(sent);
    if (tooLong) return tooLong;
    const fields = Object.entries(pick(sent)).filter(([, value]) => this.kind === 'github' || value !== '');
    Object.assign(release, Object.fromEntries(fields));
    return { status: 200, body: this.shape(release) };
  }

  private bodyFault({ body }: Shape): Reply | undefined {
    if ([...String(body ?? '')].length <= maxBodyLength) return undefined;
    return invalid([
      { resource: 'Release', code: 'custom', message: 'body is too long (maximum is 125000 characters)' },
    ]);
  }

  private shape(release: Release): Shape {
    const { origin } = this.place();
    const tag = release.draft ? `untagged-${release.id}` : release.tag_name;
    return { ...release, html_url: `${origin}/${this.history.fullName}/releases/tag/${tag}` };
  }

  private contents(path: string, branch: string): Reply {
    const content = this.files.get(`${branch}:${path}`);
    const below = [...this.files.keys()].filter((key) => key.startsWith(`${branch}:${path}/`));
    if (below.length > 0) return { status: 200, body: [{ type: 'file' }] };
    if (!content) return notFound;
    return { status: 200, body: this.fileShape(path, branch, content) };
  }

  private fileShape(path: string, branch: string, content: Buffer): Shape {
    const inline = content.length <= largestInline;
    return {
      ...{ type: 'file', path, sha: shaOf(content), size: content.length },
      encoding: inline ? 'base64' : 'none',
      // The real hosts send base64 with line breaks.
      content: inline ? content.toString('base64').replace(/.{60}/g, '$&\n') : '',
      html_url: `${this.place().origin}/${this.history.fullName}/${this.kind === 'gitea' ? 'src/branch' : 'blob'}/${branch}/${path}`,
    };
  }

  private blob(sha: string): Reply {
    const content = [...this.files.values()].find((candidate) => shaOf(candidate) === sha);
    return content ? { status: 200, body: { sha, encoding: 'base64', content: content.toString('base64') } } : notFound;
  }

  private commit(path: string, sent: Shape, creates: boolean): Reply {
    const { branch = this.history.defaultBranch, message, content, sha } = sent as Record<string, string>;
    if (!this.history.branches.has(branch as string)) return notFound;
    if (this.guarded.has(branch as string)) {
      const { status, message } = this.guardedMessage ?? usualGuard[this.kind];
      return { status, body: { message } };
    }
    const before = this.files.get(`${branch}:${path}`);
    const stale = this.staleness(before, sha, creates);
    if (stale) return stale;
    const bytes = Buffer.from(content as string, 'base64');
    this.files.set(`${branch}:${path}`, bytes);
    this.commits.push(message as string);
    this.advance(branch as string, message as string);
    const status = before ? 200 : 201;
    return { status, body: { content: this.fileShape(path, branch as string, bytes), commit: { message } } };
  }

  /** Creates a branch at a commit. The branch has the files of the branch whose head is this commit. */
  private branch(name: string, sha: unknown): Reply {
    const { branches, commits } = this.history;
    const unfit = /^[/.]|[\s~^:?*[\\\p{Cc}]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/u.test(name);
    if (unfit || !commits.has(String(sha))) return { status: 422, body: { message: 'Reference name is not valid' } };
    if (branches.has(name))
      return this.kind === 'gitea'
        ? { status: 409, body: { message: 'The branch already exists.' } }
        : { status: 422, body: { message: 'Reference already exists' } };
    const [from] = [...branches].find(([, head]) => head === sha) ?? [];
    branches.set(name, String(sha));
    this.copyFiles(from, name);
    return { status: 201, body: { ref: `refs/heads/${name}`, object: { sha } } };
  }

  /** Copies the files of a branch to another branch. */
  copyFiles(from: string | undefined, to: string): void {
    for (const [key, bytes] of [...this.files])
      if (from !== undefined && key.startsWith(`${from}:`))
        this.files.set(`${to}:${key.slice(from.length + 1)}`, bytes);
  }

  /**
   * Adds a commit to a branch and returns its sha.
   * @param merged commits that the new commit merges into the branch, oldest first
   */
  advance(branch: string, message: string, merged: string[] = []): string {
    const { branches, commits, pushes, owner } = this.history;
    const before = branches.get(branch) as string;
    const at = Math.max(...[...commits.values()].map((commit) => commit.at)) + 1000;
    const sha = createHash('sha1').update(`${before} ${branch} ${message} ${at}`).digest('hex');
    commits.set(sha, { sha, parents: [before, ...merged.slice(-1)], message, author: owner, at });
    branches.set(branch, sha);
    pushes.push({ branch, before, after: sha, shas: [...merged, sha], at });
    return sha;
  }

  private staleness(before: Buffer | undefined, sha: string | undefined, creates: boolean): Reply | undefined {
    if (creates && before) return { status: 422, body: { message: 'repository file already exists' } };
    if (before === undefined) return sha === undefined ? undefined : notFound;
    if (sha === undefined) return { status: 422, body: { message: 'Invalid request.\n\n"sha" wasn\'t supplied.' } };
    if (sha === shaOf(before)) return undefined;
    const message = `CHANGELOG.md does not match ${sha}`;
    return this.kind === 'gitea'
      ? { status: 422, body: { message: `sha does not match [given: ${sha}, expected: ${shaOf(before)}]` } }
      : { status: 409, body: { message } };
  }
}

/** The refusal of a commit to a protected branch. GitHub and Gitea differ in the status and in the words. */
const usualGuard = {
  github: { status: 409, message: 'Could not update file: Changes must be made through a pull request.' },
  gitea: { status: 403, message: 'user should have a permission to write to the target branch' },
};

const notFound: Reply = { status: 404, body: { message: 'Not Found' } };

function invalid(errors: Shape[]): Reply {
  return { status: 422, body: { message: 'Validation Failed', errors } };
}

function pick({ tag_name, name, body, draft, prerelease }: Shape): Shape {
  return { tag_name, name, body, draft, prerelease };
}

function shaOf(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
