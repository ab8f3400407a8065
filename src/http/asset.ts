/**
 * A file that is the same for everybody: compressed once for each encoding, with a strong ETag, and kept by browsers for good at
 * the address that names its content. Replies that depend on the caller do not go through here.
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

/** The type of files that are compressed already. */
const compressed = 'application/gzip';

/** Quality 11 takes seconds for the script of the reference and saves a tenth more. */
const brotliQuality = 9;

const compressors: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

export class Asset {
  /** Names the content: `?v=` and this after the path is an address whose content never changes. */
  readonly version: string;
  private readonly type: string;
  private readonly bytes: Uint8Array;
  private readonly headers: readonly string[];
  private readonly sent = new Map<Encoding, Promise<Sent>>();

  /**
   * @param type its content type
   * @param headers what its replies carry besides, as flat pairs
   */
  constructor(type: string, content: string | Uint8Array, headers: readonly string[] = []) {
    this.type = type;
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.headers = headers;
    this.version = digestOf(this.bytes).slice(0, 8);
  }

  /** The route that sends it. */
  route(path: string): HttpRoute {
    return { method: 'GET', path, handle: (exchange) => this.send(exchange) };
  }

  /** Replies in the encoding that the request prefers; 304 when the client has it. */
  async send(exchange: Exchange): Promise<void> {
    const encoding = this.type === compressed ? 'identity' : chooseEncoding(exchange.headers['accept-encoding']);
    const { bytes, etag } = await this.encoded(encoding);
    const isVersioned = new URLSearchParams(exchange.query).get('v') === this.version;
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
