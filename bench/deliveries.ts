/**
 * Makes signed deliveries for the load. Each delivery is a merged pull request of realistic size with its own delivery
 * id, number and time. Making a delivery must be cheap, because the generator shares the cores with the measured
 * service. Therefore only the end of a body differs between the deliveries of a repository. The hash of the unchanged
 * first part is computed only once.
 */
import { createHash, type Hash } from 'node:crypto';
import { mergedPullRequest } from './payload.ts';

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
  return Buffer.byteLength(mergedPullRequest(0)) + tailOf(0).length;
}

/**
 * A request whose bytes are changed in place. `next` changes the bytes to those of the next delivery and returns the
 * number of that delivery.
 */
export interface SignedRequest {
  readonly bytes: Buffer;
  next(): number;
}

/**
 * Hash states for HMAC-SHA256. The states already contain the key and the fixed part of the body. To sign a delivery,
 * only the end of its body must be added.
 */
interface Signer {
  inner: Hash;
  outer: Hash;
}

/** The state that connections share: the templates and the number of deliveries made. */
export class DeliveryTemplates {
  private readonly secret: string;
  private readonly run: string;
  private readonly templates: readonly { prefix: Buffer; signer: Signer }[];
  private made = 0;

  constructor(secret: string, run: string) {
    this.secret = secret;
    this.run = run;
    this.templates = Array.from({ length: repositoryCount }, (_, i) => this.template(i));
  }

  /** Makes the request of one connection. Connections are spread evenly over the repositories. */
  forConnection(index: number): SignedRequest {
    const { prefix, signer } = this.templates[index % repositoryCount] as { prefix: Buffer; signer: Signer };
    const head = headOf(deliveryId(this.run, 0), prefix.length + tailOf(0).length);
    const bytes = Buffer.concat([Buffer.from(head), prefix, Buffer.from(tailOf(0))]);
    const idEnd = head.indexOf(deliveryId(this.run, 0)) + deliveryId(this.run, 0).length;
    const signatureStart = head.indexOf('sha256=') + 'sha256='.length;
    const tailStart = head.length + prefix.length;
    const next = (): number => {
      this.made += 1;
      const tail = tailOf(this.made);
      bytes.write(String(this.made).padStart(12, '0'), idEnd - 12, 'latin1');
      bytes.write(tail, tailStart, 'latin1');
      bytes.write(sign(signer, tail), signatureStart, 'latin1');
      return this.made;
    };
    return { bytes, next };
  }

  private template(repository: number): { prefix: Buffer; signer: Signer } {
    const prefix = Buffer.from(mergedPullRequest(repository));
    const key = Buffer.alloc(blockBytes);
    key.write(this.secret);
    const inner = createHash('sha256').update(key.map((byte) => byte ^ 0x36));
    const outer = createHash('sha256').update(key.map((byte) => byte ^ 0x5c));
    return { prefix, signer: { inner: inner.update(prefix), outer } };
  }
}

function sign({ inner, outer }: Signer, tail: string): string {
  return outer.copy().update(inner.copy().update(tail).digest()).digest('hex');
}

/** Returns the end of a body. The end differs between deliveries and always has the same length. */
function tailOf(number: number): string {
  const text = String(firstNumber + number).padStart(digits, '0');
  const time = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString().replace('.000Z', 'Z');
  return `"merge_commit_sha":"${text.padStart(40, 'c')}","updated_at":"${time}","merged_at":"${time}","number":${text}}}`;
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
