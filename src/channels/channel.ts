/**
 * The one shape of a publishing channel: which settings a connection has, how a note becomes the receiver's payload, and how
 * the payload is delivered. States, attempts and times of publications are the worker's matter; each channel is a file here.
 */
import type { TObject } from '@sinclair/typebox';
import type { Egress } from '../egress/egress.ts';
import type { ChannelName } from '../protocol/channels.ts';
import type { HostedPage } from '../protocol/hosted.ts';
import type { Persona } from '../protocol/stored.ts';

/**
 * What is published: a draft as it was when the publication was asked for. Times in milliseconds. The draft's flags are not part
 * of it: an editor may have removed from the text what they hold.
 */
export interface Note {
  publicationId: string;
  repository: { id: string; fullName: string; url: string; private: boolean; defaultBranch: string };
  /** Heading of the version: the later tag, or what names the range where it has no tags. */
  version: string;
  /** The later tag; null for ranges by dates and numbers. */
  tag: string | null;
  previousTag: string | null;
  compareUrl: string | null;
  /** When the version was made: the tag's date or the range's end. */
  date: number;
  persona: Persona;
  /** Markdown with its entry markers. */
  bodyMd: string;
  /** For the host's releases: publish as a draft of the host. */
  asDraft: boolean;
  /** The public page of the note; null where there is none. */
  pageUrl: string | null;
}

/** Settings of a connection: fields of the channel's schema, the secret ones opened. */
export type ChannelSettings = Readonly<Record<string, unknown>>;

/** What a delivery may use. */
export interface DeliveryContext<Settings extends ChannelSettings = ChannelSettings> {
  settings: Settings;
  egress: Egress;
  /** Ends the delivery; the worker sets it off at its time limit or when it stops. */
  signal: AbortSignal;
  /** Stays the same over all attempts of one publication. */
  publicationId: string;
  /** What an earlier publication of this draft left at the same receiver; it is updated, not doubled. */
  reference: string | null;
  /** True when an earlier attempt may have arrived: a receiver that can be asked is asked first. */
  resumed: boolean;
  /** The source-code host of the repository; null without credentials. */
  host: HostAccess | null;
  /** Who is written to, for channels that write to people one by one. */
  recipients: Recipients;
  /** The address by which one recipient unsubscribes; null while the service has no public address. */
  unsubscribeUrl: (address: string) => string | null;
}

/** Addresses of a list, sorted out before an attempt begins; the attempt writes to nobody else. */
export interface Recipients {
  due: readonly string[];
  /** How many of the list want nothing, and how many have this very text already, or may have it. */
  unsubscribed: number;
  alreadySent: number;
}

/** Which of those due have got it, and which may have. */
export interface Reached {
  taken: readonly string[];
  doubtful: readonly string[];
}

/** What came of a delivery. */
export interface Delivered {
  /** Location of the published item; null where the receiver names none. */
  url: string | null;
  /** The receiver's own id of the item, by which a later publication updates it. */
  reference: string | null;
  /** Counts worth keeping, such as recipients accepted and rejected. */
  counts?: Readonly<Record<string, number>>;
  reached?: Reached;
  /** What goes on a page of this service once the outcome is folded. */
  page?: HostedPage;
}

/**
 * A channel. `render` is pure and gives the exact payload, which the preview shows; `deliver` is carried out by the worker.
 * Both throw `DeliveryError` with a message for people, without secrets or addresses.
 */
export interface Channel<Settings extends ChannelSettings = ChannelSettings, Payload = unknown> {
  name: ChannelName;
  /** Whether anybody outside the organisation may read what is published; its policy may refuse such. */
  isPublic: boolean;
  /** Whether the receiver can be asked for, or told, what an attempt of the same publication left there. */
  canLookUp: boolean;
  settings: TObject;
  /** Names of the fields of `settings` that are sealed and never answered. */
  secrets: readonly string[];
  /** Everybody on the list of a connection, each once; channels that write to people one by one have this. */
  recipients?(settings: Settings): string[];
  render(note: Note, settings: Settings): Payload;
  deliver(payload: Payload, context: DeliveryContext<Settings>): Promise<Delivered>;
  /** Sends a recognisable test message, or checks the access where a message would be public. @returns what was done */
  test(context: DeliveryContext<Settings>): Promise<string>;
}

export type { ChannelName };

/**
 * Why a delivery did not succeed. `retry` = it certainly did not arrive or can be repeated safely; `refused` = repeating it
 * would not help; `unknown` = it may have arrived and the receiver cannot be asked.
 */
export class DeliveryError extends Error {
  readonly outcome: 'retry' | 'refused' | 'unknown';
  /** What the receiver asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Where it is known who has got it all the same. */
  readonly reached: Reached | undefined;

  constructor(outcome: 'retry' | 'refused' | 'unknown', message: string, retryAfterMs?: number, reached?: Reached) {
    super(message);
    this.name = 'DeliveryError';
    this.outcome = outcome;
    this.retryAfterMs = retryAfterMs;
    this.reached = reached;
  }
}

/** The part of a host's REST API that channels write through; a conflict or refusal comes as `DeliveryError`. */
export interface HostAccess {
  /** Whether the credentials may write to the repository; null where the host does not say. */
  canWrite(): Promise<boolean | null>;
  /** Commit that a tag points at; null when the host does not have the tag. */
  tagSha(tag: string): Promise<string | null>;
  /** The release of a tag, drafts included. */
  findRelease(tag: string): Promise<HostRelease | null>;
  createRelease(release: Omit<HostRelease, 'id' | 'url'>): Promise<HostRelease>;
  updateRelease(id: string, release: Omit<HostRelease, 'id' | 'url'>): Promise<HostRelease>;
  /** A file of a branch; null when it does not exist. */
  readFile(path: string, branch: string): Promise<HostFile | null>;
  /**
   * Commits a file's new text.
   * @param sha blob that it replaces; null for a new file
   * @returns address of the file; null when the blob was not the newest any more, so that it must be read again
   */
  writeFile(path: string, branch: string, text: string, sha: string | null, message: string): Promise<string | null>;
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
