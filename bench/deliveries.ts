/**
 * Makes signed deliveries for the load. Each delivery is a merged pull request of realistic size with its own delivery
 * id, number and time. Making a delivery must be cheap, because the generator shares the cores with the measured
 * service. Therefore only the end of a body differs between the deliveries of a repository. The hash of the unchanged
 * first part is computed only once.
 */
import { createHash, type Hash } from 'node:crypto';
import { pullRequestEnd, pullRequestStart } from './payload.ts';

/** Number of repositories that the deliveries are spread over, so that all partitions take part. */
export const repositoryCount = 16;

const blockBytes = 64;
const digits = 9;
const firstNumber = 100_000_000;

/**
 * Returns the delivery id for a number. The id has the form of a UUID and begins with `run`, the name of the bench run.
 */
export function deliveryId(run: string, number: number): string {
  return `${run}-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Returns the size of a delivery's body in bytes. */
export function deliveryBytes(): number {
  return Buffer.byteLength(deliveryBody(0, 0));
}

/** Returns the body of a delivery: of a repository, and the number of its body from 0. */
export function deliveryBody(repository: number, number: number): string {
  return pullRequestStart(repository) + tailOf(number);
}

/** A request whose bytes are changed in place. */
export interface SignedRequest {
  readonly bytes: Buffer;
  /** Changes the bytes to those of the next delivery and returns the number of that delivery. */
  next(): number;
  /** As `next`, but the signature is wrong in one digit. */
  nextForged(): number;
}

/**
 * Hash states for HMAC-SHA256. The states already contain the key and the fixed part of the body. To sign a delivery,
 * only the end of its body must be added.
 */
interface Signer {
  inner: Hash;
  outer: Hash;
}

/** The bodies of one repository. `signed` contains the ends of the bodies, each followed by its signature. */
interface Template {
  prefix: Buffer;
  signer: Signer;
  signed: Buffer;
  signedCount: number;
  used: number;
}

/**
 * Number of different bodies if bodies repeat. Each is sent again under a new delivery id, as hosts do when one pull
 * request causes several deliveries without a change of its fields.
 */
export const poolSize = 8192;

const tailBytes = Buffer.byteLength(tailOf(0));
const signatureDigits = 64;
const entryBytes = tailBytes + signatureDigits;

/** The state that connections share: the templates and the number of deliveries made. */
export class DeliveryTemplates {
  private readonly run: string;
  private readonly poolPerTemplate: number;
  private readonly templates: readonly Template[];
  private made = 0;

  /**
   * @param repeats whether bodies repeat after `poolSize` deliveries. If not, each delivery has a body of its own.
   * @param repositories number of repositories that the deliveries are spread over
   */
  constructor(secret: string, run: string, repeats: boolean, repositories = repositoryCount) {
    this.run = run;
    this.poolPerTemplate = repeats ? poolSize / repositories : Number.POSITIVE_INFINITY;
    this.templates = Array.from({ length: repositories }, (_, i) => template(secret, i));
  }

  /** Signs so many deliveries in advance. Deliveries beyond that are signed when they are sent, which takes longer. */
  prepare(deliveries: number): void {
    for (const each of this.templates) {
      const wanted = Math.min(this.poolPerTemplate, each.used + Math.ceil(deliveries / this.templates.length));
      signUpTo(each, wanted);
    }
  }

  /** Makes the request of one connection. Connections are spread evenly over the repositories. */
  forConnection(index: number): SignedRequest {
    const template = this.templates[index % this.templates.length] as Template;
    const head = headOf(deliveryId(this.run, 0), template.prefix.length + tailBytes);
    const bytes = Buffer.concat([Buffer.from(head), template.prefix, Buffer.from(tailOf(0))]);
    const idEnd = head.indexOf(deliveryId(this.run, 0)) + deliveryId(this.run, 0).length;
    const signatureStart = head.indexOf('sha256=') + 'sha256='.length;
    const tailStart = head.length + template.prefix.length;
    const next = (): number => {
      this.made += 1;
      const index = template.used % this.poolPerTemplate;
      template.used += 1;
      if (index >= template.signedCount) signUpTo(template, index + 1);
      const at = index * entryBytes;
      bytes.write(String(this.made).padStart(12, '0'), idEnd - 12, 'latin1');
      template.signed.copy(bytes, tailStart, at, at + tailBytes);
      template.signed.copy(bytes, signatureStart, at + tailBytes, at + entryBytes);
      return this.made;
    };
    const nextForged = (): number => {
      const number = next();
      bytes[signatureStart] = bytes[signatureStart] === zero ? zero + 1 : zero;
      return number;
    };
    return { bytes, next, nextForged };
  }
}

/** The character code of the digit 0. */
const zero = 48;

function template(secret: string, repository: number): Template {
  const prefix = Buffer.from(pullRequestStart(repository));
  const key = Buffer.alloc(blockBytes);
  key.write(secret);
  const inner = createHash('sha256').update(key.map((byte) => byte ^ 0x36));
  const outer = createHash('sha256').update(key.map((byte) => byte ^ 0x5c));
  return { prefix, signer: { inner: inner.update(prefix), outer }, signed: Buffer.alloc(0), signedCount: 0, used: 0 };
}

/** Signs the bodies of a repository until `count` are signed. */
function signUpTo(template: Template, count: number): void {
  if (count * entryBytes > template.signed.length) {
    const larger = Buffer.alloc(Math.max(count, 2 * template.signedCount) * entryBytes);
    template.signed.copy(larger);
    template.signed = larger;
  }
  for (; template.signedCount < count; template.signedCount += 1) {
    const tail = tailOf(template.signedCount);
    const entry = tail + sign(template.signer, tail);
    template.signed.write(entry, template.signedCount * entryBytes, 'latin1');
  }
}

function sign({ inner, outer }: Signer, tail: string): string {
  return outer.copy().update(inner.copy().update(tail).digest()).digest('hex');
}

/** Returns the end of a body. The end differs between deliveries and always has the same length. */
function tailOf(nth: number): string {
  const number = String(firstNumber + nth).padStart(digits, '0');
  const mergedAt = new Date(Date.UTC(2026, 0, 1) + nth * 1000).toISOString().replace('.000Z', 'Z');
  return pullRequestEnd({ number, sha: number.padStart(40, 'c'), mergedAt });
}

function headOf(id: string, length: number): string {
  return [
    'POST /api/webhooks/scm HTTP/1.1',
    'Host: tidings.example',
    'Accept: */*',
    'User-Agent: Host-Hookshot/1',
    'Content-Type: application/json',
    'X-Scm-Event: pull_request',
    `X-Scm-Delivery: ${id}`,
    `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`,
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');
}
