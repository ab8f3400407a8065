/**
 * Serves a file that is the same for all clients. The file is compressed once per encoding and has a strong ETag.
 * Browsers may cache the file permanently when the requested address contains the file's version, or when the file's
 * name contains a digest. This class must not be used for replies that depend on the caller.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { digestOf, isKnown, toEtag } from '../foundation/etag.ts';
import { chooseEncoding, type Encoding } from './encoding.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRoute } from './server.ts';

interface Sent {
  bytes: Uint8Array;
  etag: string;
}

/** How a file is kept and sent. */
export interface AssetOptions {
  /** The content in encodings that the build has made. Other encodings are made on request. */
  encoded?: Readonly<Partial<Record<Exclude<Encoding, 'identity'>, Uint8Array>>>;
  /** Whether the file's name contains a digest of its content, so that the content at this address never changes. */
  isNamedByDigest?: boolean;
}

/** Content type of files that are already compressed. These are sent as they are. */
const compressed = 'application/gzip';

/**
 * Brotli quality for files. The maximum, 11, takes seconds for the script of the API reference, and its result is
 * only 10 % smaller.
 */
const brotliQuality = 9;

const compressors: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

export class Asset {
  /**
   * Digest of the content. An address `PATH?v=VERSION` contains this digest, so the content at this address never
   * changes.
   */
  readonly version: string;
  private readonly type: string;
  private readonly bytes: Uint8Array;
  private readonly headers: readonly string[];
  private readonly isNamedByDigest: boolean;
  private readonly sent = new Map<Encoding, Promise<Sent>>();

  /**
   * @param type the content type
   * @param headers additional headers of replies with this file, as a flat list of names and values
   */
  constructor(
    type: string,
    content: string | Uint8Array,
    headers: readonly string[] = [],
    { encoded = {}, isNamedByDigest = false }: AssetOptions = {},
  ) {
    this.type = type;
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.headers = headers;
    this.isNamedByDigest = isNamedByDigest;
    for (const [encoding, bytes] of Object.entries(encoded))
      this.sent.set(encoding as Encoding, Promise.resolve({ bytes, etag: toEtag(digestOf(bytes)) }));
    this.version = digestOf(this.bytes).slice(0, 8);
  }

  /** Makes the route that sends the file. */
  route(path: string): HttpRoute {
    return { method: 'GET', path, handle: (exchange) => this.send(exchange) };
  }

  /** Sends the file in the encoding that the request prefers, or 304 when the client has the file already. */
  async send(exchange: Exchange): Promise<void> {
    const encoding = this.type === compressed ? 'identity' : chooseEncoding(exchange.headers['accept-encoding']);
    const { bytes, etag } = await this.encoded(encoding);
    const isVersioned = this.isNamedByDigest || new URLSearchParams(exchange.query).get('v') === this.version;
    const caching = isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = [...this.headers, 'ETag', etag, 'Cache-Control', caching, 'Vary', 'Accept-Encoding'];
    if (isKnown(exchange.headers['if-none-match'], etag)) return exchange.reply(304, '', '', headers);
    if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
    exchange.reply(200, this.type, bytes, headers);
  }

  private encoded(encoding: Encoding): Promise<Sent> {
    const known = this.sent.get(encoding);
    if (known) return known;
    const made = this.encode(encoding);
    this.sent.set(encoding, made);
    return made;
  }

  private async encode(encoding: Encoding): Promise<Sent> {
    const bytes = encoding === 'identity' ? this.bytes : await compressors[encoding](this.bytes);
    return { bytes, etag: toEtag(digestOf(bytes)) };
  }
}
