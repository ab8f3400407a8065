/**
 * The exchange with which a new machine gets the keys of a cluster. The machine proves that it has the key of a token,
 * and a node replies with the keys of the cluster. The reply is sealed under a key that only these two can compute. It
 * depends on key pairs that exist for one exchange, so a token that leaks later does not open a recorded exchange.
 */
import {
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { createSealer, SealError, type Sealer } from '../foundation/seal.ts';
import type { Identity } from '../protocol/identity.ts';
import { ClusterError } from './identity.ts';
import { findToken, type JoinToken, useUp } from './join-token.ts';

/** The keys that a new machine gets. */
export interface ClusterKeys {
  identity: Identity;
  /** The sealing key in use, followed by former ones, in base64. */
  sealingKeys: readonly string[];
  /** Content of the file with the digest key. It is sealed under a sealing key. */
  digestKey: string;
  webhookSecrets: readonly string[];
  adminKey: string;
}

/** A request to join. `publicKey` is the machine's half of the exchange, `proof` shows that it has the token's key. */
interface JoinRequest {
  token: string;
  cluster: string;
  node: string;
  publicKey: string;
  proof: string;
}

/** The reply to a request: the node's half of the exchange and the sealed keys, or the reason of a refusal. */
type JoinReply = { ok: true; publicKey: string; sealed: string } | { ok: false; message: string };

/** What came of a request, for the log. The message of a refusal contains no secret. */
export interface JoinOutcome {
  reply: JoinReply;
  /** Name of the machine that sent the request. */
  node: string;
}

/** The new machine's side of an exchange. */
export interface Exchange {
  request: JoinRequest;
  /**
   * Opens the reply of a node.
   * @throws ClusterError with the reason, if the node has refused or the reply is not from a node that has the token
   */
  open(reply: unknown): ClusterKeys;
}

/** Maximum length of a refusal that is shown. */
const maxRefusal = 500;

/** Returns the text of a refusal. Any client of the NATS server can send one, so it must not control the terminal. */
function refusalIn(message: unknown, { node }: JoinToken): string {
  if (typeof message !== 'string') return `Node ${node} has sent a reply that is not readable.`;
  return message.slice(0, maxRefusal).replace(/\p{C}/gu, ' ');
}

/** Begins an exchange on the new machine, whose name is `node`. */
export function beginExchange(token: JoinToken, node: string): Exchange {
  const own = generateKeyPairSync('x25519');
  const request = { token: token.id, cluster: token.cluster, node, publicKey: textOf(own.publicKey) };
  return {
    request: { ...request, proof: proofOf(token, request) },
    open: (reply) => {
      const { ok, ...content } = (reply ?? {}) as Partial<Extract<JoinReply, { ok: true }> & { message: string }>;
      if (!ok) throw new ClusterError(refusalIn(content.message, token));
      try {
        const sealer = sealerOf(token, own.privateKey, String(content.publicKey), request.publicKey);
        return JSON.parse(sealer.open(String(content.sealed), placeOf(token))) as ClusterKeys;
      } catch {
        throw new ClusterError(
          'The reply does not come from a node that knows the token: another program answers in its place. Nothing was stored.',
        );
      }
    },
  };
}

/**
 * Answers a request on a node. A request with a valid proof uses the token up.
 * @param keys reads the keys of the cluster
 * @param own name of the node and id of its cluster
 */
export function answerJoin(
  dataDir: string,
  given: unknown,
  keys: () => ClusterKeys,
  own: Pick<JoinToken, 'cluster' | 'node'>,
  now: number,
): JoinOutcome {
  const request = toRequest(given);
  const refused = (message: string): JoinOutcome => ({ reply: { ok: false, message }, node: request?.node ?? '' });
  if (!request) return refused('The request to join is not readable. Use the same version of Tidings on all nodes.');
  if (request.cluster !== own.cluster) {
    return refused(
      `The token is for cluster ${request.cluster}, but node ${own.node} belongs to cluster ${own.cluster}.`,
    );
  }
  const known = findToken(dataDir, request.token);
  const again = `Make a new token: run "tidings cluster init" on node ${own.node}.`;
  if (known.state === 'used') return refused(`The token was used already. ${again}`);
  if (known.state === 'unknown') return refused(`Node ${own.node} does not know the token. ${again}`);
  const { token } = known;
  if (!isEqual(request.proof, proofOf(token, request))) return refused(`The token was changed. ${again}`);
  if (token.expires <= now) return refused(`The token has expired. ${again}`);
  const publicKey = keyOf(request.publicKey);
  if (!publicKey) return refused('The request to join is not readable. Use the same version of Tidings on all nodes.');
  const pair = generateKeyPairSync('x25519');
  const sealer = sealerOf(token, pair.privateKey, request.publicKey, request.publicKey);
  const sealed = sealer.seal(JSON.stringify(keys()), placeOf(token));
  if (!useUp(dataDir, token)) return refused(`The token was used already. ${again}`);
  return { reply: { ok: true, publicKey: textOf(pair.publicKey), sealed }, node: request.node };
}

/**
 * Returns the sealer of an exchange. Its key depends on both key pairs and on the token.
 * @param theirs public key of the other side
 * @param requested public key of the new machine, to which the key is bound
 */
function sealerOf(token: JoinToken, own: KeyObject, theirs: string, requested: string): Sealer {
  const publicKey = keyOf(theirs);
  if (!publicKey) throw new SealError('the public key is not readable');
  const shared = diffieHellman({ privateKey: own, publicKey });
  return createSealer(Buffer.from(hkdfSync('sha256', shared, keyBytesOf(token), `tidings join ${requested}`, 32)));
}

function proofOf(token: JoinToken, { token: id, cluster, node, publicKey }: Omit<JoinRequest, 'proof'>): string {
  const text = JSON.stringify(['tidings join', id, cluster, node, publicKey]);
  return createHmac('sha256', keyBytesOf(token)).update(text).digest('base64url');
}

function placeOf({ id, cluster }: JoinToken): string[] {
  return ['join', cluster, id];
}

function keyBytesOf({ key }: JoinToken): Buffer {
  return Buffer.from(key, 'base64url');
}

function textOf(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
}

function keyOf(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64url'), type: 'spki', format: 'der' });
    return key.asymmetricKeyType === 'x25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function toRequest(given: unknown): JoinRequest | undefined {
  const { token, cluster, node, publicKey, proof } = (given ?? {}) as Partial<JoinRequest>;
  const all = [token, cluster, node, publicKey, proof];
  if (!all.every((text) => typeof text === 'string' && text.length <= 500)) return undefined;
  return { token, cluster, node, publicKey, proof } as JoinRequest;
}
