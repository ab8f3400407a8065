/** Makes small picture files byte by byte, with parts that a logo must not keep. */
import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Returns a chunk of a PNG with its length and checksum. */
export function pngChunk(name: string, data: Buffer | string): Buffer {
  const bytes = Buffer.from(data as string, 'latin1');
  const body = Buffer.concat([Buffer.from(name, 'latin1'), bytes]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(bytes.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Properties of a PNG. `pixels` is the decompressed data, with a filter byte before each row. */
export interface Png {
  width?: number;
  height?: number;
  bits?: number;
  type?: number;
  interlace?: number;
  pixels?: Buffer;
  /** Chunks between the header and the pixels. */
  before?: Buffer[];
  /** Chunks between the pixels and the end. */
  after?: Buffer[];
}

/** Makes a PNG; by default 4 × 3 pixels in the colors red, green, blue and alpha. */
export function png(given: Png = {}): Buffer {
  const { width = 4, height = 3, bits = 8, type = 6, interlace = 0, before = [], after = [] } = given;
  const row = (): Buffer => Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 4, 'abcd')]);
  const pixels = given.pixels ?? Buffer.concat(Array.from({ length: Math.min(height, 2000) }, row));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bits, type, 0, 0, interlace], 8);
  const middle = [...before, pngChunk('IDAT', deflateSync(pixels, { level: 9 })), ...after];
  return Buffer.concat([signature, pngChunk('IHDR', head), ...middle, pngChunk('IEND', '')]);
}

/** Returns a segment of a JPEG with its length. */
export function jpegSegment(marker: number, data: Buffer | string): Buffer {
  const bytes = Buffer.from(data as string, 'latin1');
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(bytes.length + 2, 2);
  return Buffer.concat([head, bytes]);
}

/**
 * Makes a file with the structure of a JPEG. Its pixels cannot be decoded.
 * @param segments segments after the start
 */
export function jpeg(segments: readonly Buffer[] = [], width = 4, height = 3): Buffer {
  const frame = Buffer.from([8, 0, height, 0, width, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segments,
    jpegSegment(0xdb, Buffer.alloc(65, 1)),
    jpegSegment(0xc0, frame),
    jpegSegment(0xc4, Buffer.alloc(17)),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** A GIF of one black pixel, without its first frame and end. */
const gifHead = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff', 'latin1');
/** One frame of the GIF. */
export const gifFrame = Buffer.from('\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00', 'latin1');

/** Makes a GIF from extensions and frames. */
export function gif(parts: readonly Buffer[] = [gifFrame]): Buffer {
  return Buffer.concat([gifHead, ...parts, Buffer.from(';')]);
}

/** Returns a chunk of a WebP with its length. */
export function webpChunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(name, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
}

/** Makes a WebP from chunks. */
export function webp(chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), length, body]);
}

/** Returns a picture as a data URI. */
export function dataUri(kind: string, bytes: Buffer): string {
  return `data:image/${kind};base64,${bytes.toString('base64')}`;
}
