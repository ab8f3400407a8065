/**
 * Defines the interface of a publishing channel. A channel defines the settings of its connections, renders a note as a
 * payload, and delivers the payload to the receiver. The channels are in this folder and in `host/`. The worker stores
 * the state, the attempts and the times of each publication.
 */
import type { TObject } from '@sinclair/typebox';
import type { Egress } from '../egress/egress.ts';
import type { ChannelName } from '../protocol/channels.ts';
import type { HostedPage } from '../protocol/hosted.ts';
import type { Persona } from '../protocol/stored.ts';

/**
 * The content to publish: a copy of the draft, taken when its publication was requested. Times are in milliseconds. The
 * copy does not include the draft's flags, since an editor may have removed the flagged content from the text.
 */
export interface Note {
  publicationId: string;
  repository: { id: string; fullName: string; url: string; private: boolean; defaultBranch: string };
  /** Name of the version: the name of the range's later tag. A range without tags is named by its dates or numbers. */
  version: string;
  /** The range's later tag; null if the range is given by dates or by numbers. */
  tag: string | null;
  previousTag: string | null;
  compareUrl: string | null;
  /**
   * Date of the version: the date of its tag, or the last day of a range of dates. If neither is known, the date is the
   * time at which the range was created.
   */
  date: number;
  persona: Persona;
  /** The text in Markdown. It still contains the comments that connect entries with pull requests and issues. */
  bodyMd: string;
  /** For the channel `scm_releases` only: whether the host creates the release as a draft. */
  asDraft: boolean;
  /** Address of the note's public page; null if the note has no public page. */
  pageUrl: string | null;
}

/** Settings of a connection: the fields of the channel's schema, with decrypted secrets. */
export type ChannelSettings = Readonly<Record<string, unknown>>;

/** Everything that a channel needs to deliver a payload. */
export interface DeliveryContext<Settings extends ChannelSettings = ChannelSettings> {
  settings: Settings;
  egress: Egress;
  /** Aborts the delivery. The worker triggers the signal when the time limit is reached or when the worker stops. */
  signal: AbortSignal;
  /** Id of the publication. All attempts of one publication have the same id. */
  publicationId: string;
  /**
   * Id of an item at the receiver. An earlier publication of this draft created the item. This delivery updates the
   * item instead of creating a duplicate.
   */
  reference: string | null;
  /**
   * True when an earlier attempt may have reached the receiver. In this case the delivery first asks the receiver for
   * the item, if the receiver supports such a request.
   */
  resumed: boolean;
  /** Access to the source-code host of the repository; null without credentials. */
  host: HostAccess | null;
  /** Recipients of this attempt, for channels that send to each person separately. */
  recipients: Recipients;
  /**
   * Returns the address of the page on which one recipient unsubscribes; null while the service has no public address.
   */
  unsubscribeUrl: (address: string) => string | null;
}

/**
 * The recipients on a list, in three groups: due, unsubscribed, and already sent to. The groups are made before an
 * attempt begins. The attempt sends only to the `due` addresses.
 */
export interface Recipients {
  due: readonly string[];
  /**
   * `unsubscribed` is the number of recipients who have unsubscribed. `alreadySent` is the number of recipients who
   * have received or possibly received this text.
   */
  unsubscribed: number;
  alreadySent: number;
}

/** Mail addresses from `Recipients.due`: `taken` got the message, and `doubtful` may have got the message. */
export interface Reached {
  taken: readonly string[];
  doubtful: readonly string[];
}

/** The result of a successful delivery. */
export interface Delivered {
  /** Address of the published item; null if the receiver returns none. */
  url: string | null;
  /** The receiver's own id of the item. A later publication uses the id to update the item. */
  reference: string | null;
  /** Counts to store, such as accepted and rejected recipients. */
  counts?: Readonly<Record<string, number>>;
  reached?: Reached;
  /**
   * For the channel `hosted` only: the page to store. The fold stores the page together with the outcome of the
   * delivery.
   */
  page?: HostedPage;
}

/**
 * A channel. `render` is pure and returns the exact payload. The preview shows this payload. The worker calls
 * `deliver`. Both functions throw `DeliveryError`. Its message is for people and contains no secrets or addresses.
 */
export interface Channel<Settings extends ChannelSettings = ChannelSettings, Payload = unknown> {
  name: ChannelName;
  /**
   * Whether people outside the organization may read the published notes. The organization's policy may forbid such
   * channels.
   */
  isPublic: boolean;
  /**
   * Whether an attempt can be repeated safely. For this, the receiver must be able to report the item that an earlier
   * attempt created, or must recognize a repeated attempt of the same publication.
   */
  canLookUp: boolean;
  settings: TObject;
  /** Names of the fields of `settings` that are stored encrypted and never returned. */
  secrets: readonly string[];
  /**
   * Returns all mail addresses in the settings of a connection, without duplicates. Only channels that send to each
   * person separately have this function.
   */
  recipients?(settings: Settings): string[];
  render(note: Note, settings: Settings): Payload;
  deliver(payload: Payload, context: DeliveryContext<Settings>): Promise<Delivered>;
  /**
   * Sends a recognizable test message. If the message would be public, the test sends no message and only checks that
   * the credentials give access to the receiver.
   * @returns what was done
   */
  test(context: DeliveryContext<Settings>): Promise<string>;
}

export type { ChannelName };

/**
 * Why a delivery did not succeed.
 * - `retry`: the message certainly did not arrive, or sending it again is safe.
 * - `refused`: sending it again would not help.
 * - `unknown`: the message may have arrived, and the receiver cannot be asked.
 */
export class DeliveryError extends Error {
  readonly outcome: 'retry' | 'refused' | 'unknown';
  /** How long the receiver asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The recipients whom the message reached before the failure, if known. */
  readonly reached: Reached | undefined;

  constructor(outcome: 'retry' | 'refused' | 'unknown', message: string, retryAfterMs?: number, reached?: Reached) {
    super(message);
    this.name = 'DeliveryError';
    this.outcome = outcome;
    this.retryAfterMs = retryAfterMs;
    this.reached = reached;
  }
}

/** The part of a host's REST API that channels use. Conflicts and refusals are thrown as `DeliveryError`. */
export interface HostAccess {
  /** Returns whether the credentials may write to the repository; null if the host does not report it. */
  canWrite(): Promise<boolean | null>;
  /** Returns the commit that a tag points at; null if the host does not have the tag. */
  tagSha(tag: string): Promise<string | null>;
  /** Returns the release of a tag, published or draft; null if the tag has no release. */
  findRelease(tag: string): Promise<HostRelease | null>;
  createRelease(release: Omit<HostRelease, 'id' | 'url'>): Promise<HostRelease>;
  updateRelease(id: string, release: Omit<HostRelease, 'id' | 'url'>): Promise<HostRelease>;
  /** Reads a file of a branch; null if the file does not exist. */
  readFile(path: string, branch: string): Promise<HostFile | null>;
  /**
   * Commits a file's new text.
   * @param sha blob to replace; null for a new file
   * @returns address of the file; null if another commit has replaced the blob. Then the file must be read again.
   * @throws ServiceError `conflict` if the branch is protected
   */
  writeFile(path: string, branch: string, text: string, sha: string | null, message: string): Promise<string | null>;
  /** Creates a branch at the head of another branch. A branch that exists already stays as it is. */
  createBranch(branch: string, from: string): Promise<void>;
  /** Finds the newest pull request from a branch of the repository into another branch, an open one first. */
  findPull(head: string, base: string): Promise<HostPull | null>;
  /** Opens a pull request. If an open one with the same branches exists already, that one is returned. */
  createPull(pull: { head: string; base: string; title: string; body: string }): Promise<HostPull>;
  updatePull(number: number, text: { title: string; body: string }): Promise<HostPull>;
}

export interface HostPull {
  number: number;
  /** Web address of the pull request. */
  url: string;
  title: string;
  body: string;
  state: 'open' | 'merged' | 'closed';
}

export interface HostRelease {
  id: string;
  url: string;
  tag: string;
  name: string;
  bodyMd: string;
  draft: boolean;
  prerelease: boolean;
}

export interface HostFile {
  sha: string;
  text: string;
  /** Web address of the file. */
  url: string;
}
