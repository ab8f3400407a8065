/**
 * Builds the payloads of one generated repository. The payloads contain the fields that the service reads. The
 * repository keeps the state that consecutive payloads share: the newest number, and the head of the main branch.
 */
import { bodyText, commitText, pick, type Random, titleText } from './texts.ts';

export type Payload = Record<string, unknown>;

/** A delivery: the host's name of the event, and the payload. */
export interface Delivery {
  event: string;
  payload: Payload;
}

/** A repository on the host. */
export interface RepositoryName {
  /** Web address of the host, such as `https://github.com`. */
  origin: string;
  hostId: number;
  fullName: string;
}

/** A pull request or issue that later payloads describe again. */
export interface Item {
  number: number;
  fields: Payload;
}

const people = Array.from({ length: 120 }, (_, index) => ({
  login: `person-${index}`,
  id: 5000 + index,
  type: 'User',
}));
const labelNames = ['type: bug', 'type: feature', 'area: api', 'area: ui', 'good first issue', 'needs review'];

/** Makes the payloads of one repository. Times are ISO 8601 texts. */
export class GeneratedRepository {
  private readonly name: RepositoryName;
  private readonly random: Random;
  private numbers = 0;
  private commits = 0;
  private tags = 0;
  private head = '0'.repeat(40);

  constructor(name: RepositoryName, random: Random) {
    this.name = name;
    this.random = random;
  }

  issue(at: string): Item {
    const number = this.nextNumber();
    return { number, fields: { ...this.common(number, at, undefined), html_url: this.url('issues', number) } };
  }

  /** @param closes number of the issue that the description links to */
  pull(at: string, closes?: number): Item {
    const number = this.nextNumber();
    const fields = {
      ...this.common(number, at, closes),
      merged: false,
      merged_at: null,
      merge_commit_sha: null,
      base: { ref: 'main' },
      head: { ref: `topic-${number}` },
      html_url: this.url('pull', number),
      author_association: pick(['MEMBER', 'CONTRIBUTOR', 'NONE'], this.random),
    };
    return { number, fields };
  }

  /** Returns a delivery about an issue. `changes` are set in the issue and stay set in later payloads. */
  issues(action: string, issue: Item, at: string, changes: Payload = {}): Delivery {
    Object.assign(issue.fields, changes, { updated_at: at });
    return this.delivery('issues', { action, issue: { ...issue.fields } });
  }

  /** Returns a delivery about a pull request. `changes` are set in it and stay set in later payloads. */
  pullRequest(action: string, pull: Item, at: string, changes: Payload = {}): Delivery {
    Object.assign(pull.fields, changes, { updated_at: at });
    return this.delivery('pull_request', { action, number: pull.number, pull_request: { ...pull.fields } });
  }

  review(pull: Item, id: number, body: string, at: string): Delivery {
    const review = { id, user: this.person(), body, state: 'approved', submitted_at: at };
    return this.delivery('pull_request_review', { action: 'submitted', review, pull_request: { ...pull.fields } });
  }

  reviewComment(pull: Item, id: number, body: string, at: string): Delivery {
    const comment = { id, user: this.person(), body, created_at: at, updated_at: at };
    const payload = { action: 'created', comment, pull_request: { ...pull.fields } };
    return this.delivery('pull_request_review_comment', payload);
  }

  /** Returns a delivery about a comment in the discussion of a pull request or issue. */
  comment(item: Item, id: number, body: string, at: string, isPull: boolean): Delivery {
    const comment = { id, user: this.person(), body, created_at: at, updated_at: at };
    const issue = { ...item.fields, ...(isPull && { pull_request: { html_url: item.fields.html_url } }) };
    return this.delivery('issue_comment', { action: 'created', comment, issue });
  }

  /** Returns a label list for a pull request or issue. */
  labels(count: number): { name: string }[] {
    return Array.from({ length: count }, () => ({ name: pick(labelNames, this.random) }));
  }

  /** Returns a new commit with a message of its own. `message` is that of a merge or squash, if it is given. */
  commit(at: string, message = commitText(this.random)): Payload & { id: string } {
    this.commits += 1;
    const id = this.commits.toString(16).padStart(8, '0') + this.name.hostId.toString(16).padStart(32, '0');
    const { login } = this.person();
    return { id, message, timestamp: at, author: { username: login, name: login, email: `${login}@example.org` } };
  }

  /** Returns a push to a new topic branch. The main branch does not change. */
  pushTopic(pull: Item, commits: readonly (Payload & { id: string })[], at: string): Delivery {
    return this.push(`refs/heads/topic-${pull.number}`, '0'.repeat(40), commits, at);
  }

  /** Returns a push to the main branch. Its last commit becomes the head of the branch. */
  pushMain(commits: readonly (Payload & { id: string })[], at: string): Delivery {
    const before = this.head;
    this.head = commits.at(-1)?.id ?? before;
    return this.push('refs/heads/main', before, commits, at);
  }

  /** Returns a push of a new tag on the head of the main branch. `name` is the next version if it is absent. */
  tag(at: string, name = `v1.${this.tags++}.0`): Delivery {
    return this.delivery('push', {
      ref: `refs/tags/${name}`,
      before: '0'.repeat(40),
      after: this.head,
      base_ref: 'refs/heads/main',
      commits: [],
      head_commit: { id: this.head, message: name, timestamp: at },
      repository: { ...this.description(), pushed_at: at },
    });
  }

  private push(ref: string, before: string, commits: readonly (Payload & { id: string })[], at: string): Delivery {
    const last = commits.at(-1);
    return this.delivery('push', {
      ref,
      before,
      after: last?.id,
      base_ref: null,
      forced: false,
      deleted: false,
      commits,
      head_commit: last,
      repository: { ...this.description(), pushed_at: at },
    });
  }

  private common(number: number, at: string, closes: number | undefined): Payload {
    return {
      number,
      title: titleText(this.random),
      body: bodyText(this.random, closes),
      state: 'open',
      closed_at: null,
      created_at: at,
      updated_at: at,
      user: this.person(),
      labels: [],
    };
  }

  private delivery(event: string, payload: Payload): Delivery {
    return { event, payload: { repository: this.description(), sender: this.person(), ...payload } };
  }

  private description(): Payload {
    const { origin, hostId, fullName } = this.name;
    const [login = '', name] = fullName.split('/');
    return {
      id: hostId,
      full_name: fullName,
      name,
      private: false,
      default_branch: 'main',
      html_url: `${origin}/${fullName}`,
      owner: { login, id: ownerId(login), type: 'Organization' },
    };
  }

  private nextNumber(): number {
    this.numbers += 1;
    return this.numbers;
  }

  private person(): { login: string; id: number; type: string } {
    return pick(people, this.random);
  }

  private url(kind: string, number: number): string {
    return `${this.name.origin}/${this.name.fullName}/${kind}/${number}`;
  }
}

/** Returns the number of an owner on the host: the same number for the same login. */
function ownerId(login: string): number {
  return 90_000 + [...login].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 100_000, 7);
}
