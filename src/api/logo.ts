/**
 * Checks the logo of hosted pages and rewrites it. Only PNG, JPEG, GIF and WebP are accepted, since an SVG can contain
 * scripts. The new file has only the parts that a browser needs to show a still picture: no texts, positions, thumbnails
 * or color profiles, no second frame, and no bytes after the end.
 */
import { crc32, inflateSync } from 'node:zlib';

/** Maximum size of a logo in bytes. */
export const maxLogoBytes = 32 * 1024;
/** Maximum width and height of a logo in pixels. A small file can describe a picture that needs gigabytes of memory. */
const maxPixels = 1024;

const kinds = ['png', 'jpeg', 'gif', 'webp'] as const;
type Kind = (typeof kinds)[number];

const cleaners: Readonly<Record<Kind, (bytes: Buffer) => Buffer>> = {
  png: cleanPng,
  jpeg: cleanJpeg,
  gif: cleanGif,
  webp: cleanWebp,
};

/** Why a picture is refused, as the end of a message. */
class LogoFault extends Error {
  override readonly name = 'LogoFault';
}

/**
 * Returns the logo in its new form, or what is wrong with it.
 * @param uri a data URI that fits the schema of the settings
 */
export function cleanLogo(uri: string): { uri: string } | { fault: string } {
  const [, named = '', text = ''] = /^data:image\/([a-z]+);base64,(.*)$/.exec(uri) ?? [];
  const bytes = Buffer.from(text, 'base64');
  const kind = kindOf(bytes);
  if (bytes.length > maxLogoBytes) return { fault: `expected at most ${maxLogoBytes} bytes, got ${bytes.length}` };
  if (kind === undefined) return { fault: 'expected a PNG, JPEG, GIF or WebP picture, got other bytes' };
  if (kind !== named) return { fault: `expected image/${kind}, which the bytes are, got image/${named}` };
  try {
    return { uri: `data:image/${kind};base64,${cleaners[kind](bytes).toString('base64')}` };
  } catch (error) {
    if (error instanceof LogoFault) return { fault: `expected a picture that browsers can show, got ${error.message}` };
    throw error;
  }
}

/** Returns the kind of a picture by its first bytes. */
function kindOf(bytes: Buffer): Kind | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(start)) return 'gif';
  return /^RIFF.{4}WEBP$/s.test(start) ? 'webp' : undefined;
}

/** Reads a file from its beginning to its end. */
class Parts {
  private at: number;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** @throws LogoFault if fewer bytes remain */
  take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new LogoFault('a file that ends too early');
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  /** Returns the bytes up to the next one that `isEnd` accepts, without that one. */
  takeUntil(isEnd: (bytes: Buffer, at: number) => boolean): Buffer {
    let end = this.at;
    while (end < this.bytes.length && !isEnd(this.bytes, end)) end += 1;
    return this.take(end - this.at);
  }
}

function assertSize(width: number, height: number): void {
  if (width >= 1 && height >= 1 && width <= maxPixels && height <= maxPixels) return;
  throw new LogoFault(`${width} × ${height} pixels; at most ${maxPixels} × ${maxPixels} are allowed`);
}

const pngStart = 8;
/** The chunks that stay besides the pixels, with their maximum length: palette, transparency, and the space of colors. */
const keptChunks: Readonly<Record<string, number>> = { PLTE: 768, tRNS: 256, gAMA: 4, cHRM: 32, sRGB: 1 };
/** Number of values per pixel, and the bits that a value may have, by color type. */
const colourTypes: Readonly<Record<number, { values: number; bits: readonly number[] }>> = {
  0: { values: 1, bits: [1, 2, 4, 8, 16] },
  2: { values: 3, bits: [8, 16] },
  3: { values: 1, bits: [1, 2, 4, 8] },
  4: { values: 2, bits: [8, 16] },
  6: { values: 4, bits: [8, 16] },
};
/** The color type of pictures with a palette. */
const paletteType = 3;
/** The highest number of a filter, which is the first byte of each row. */
const maxFilter = 4;
/** The passes of an interlaced PNG: first column, first row, distance of columns, distance of rows. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The pixels are decompressed, so that they are known to be complete. Bytes after the end of their data are cut off. */
function cleanPng(bytes: Buffer): Buffer {
  const parts = new Parts(bytes, pngStart);
  const [first, head] = pngChunk(parts);
  if (first !== 'IHDR' || head.length !== 13) throw new LogoFault('a PNG without its header');
  const expected = rowsOf(head);
  const before: Buffer[] = [];
  const packed: Buffer[] = [];
  let hasPalette = false;
  for (;;) {
    const [name, data] = pngChunk(parts);
    if (name === 'IEND') break;
    if (name === 'IDAT') packed.push(data);
    else if (data.length <= (keptChunks[name] ?? -1) && packed.length === 0) {
      hasPalette ||= name === 'PLTE' && data.length > 0 && data.length % 3 === 0;
      before.push(writtenChunk(name, data));
    }
  }
  if (head[9] === paletteType && !hasPalette) throw new LogoFault('a PNG without its palette');
  return Buffer.concat([
    bytes.subarray(0, pngStart),
    writtenChunk('IHDR', head),
    ...before,
    writtenChunk('IDAT', checkedPixels(Buffer.concat(packed), expected)),
    writtenChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(parts: Parts): [name: string, data: Buffer] {
  const length = parts.take(4).readUInt32BE();
  const name = parts.take(4).toString('latin1');
  const data = parts.take(length);
  if (parts.take(4).readUInt32BE() !== sumOf(name, data)) throw new LogoFault('a damaged PNG');
  return [name, data];
}

function writtenChunk(name: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(sumOf(name, data));
  return Buffer.concat([length, Buffer.from(name, 'latin1'), data, sum]);
}

function sumOf(name: string, data: Buffer): number {
  return crc32(data, crc32(Buffer.from(name, 'latin1')));
}

/** Rows of pixels that follow each other in a PNG, and the length of each row in bytes, with its filter byte. */
interface Rows {
  count: number;
  length: number;
}

/** Returns the rows that the pixels of a PNG have when they are decompressed. */
function rowsOf(head: Buffer): Rows[] {
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [bits = 0, type = 0, compression, filter, interlace = 0] = head.subarray(8);
  assertSize(width, height);
  const colours = colourTypes[type];
  if (!colours?.bits.includes(bits) || compression !== 0 || filter !== 0 || interlace > 1)
    throw new LogoFault('a PNG with an unknown encoding');
  const of = (columns: number, count: number): Rows =>
    columns <= 0 || count <= 0
      ? { count: 0, length: 0 }
      : { count, length: 1 + Math.ceil((columns * colours.values * bits) / 8) };
  if (interlace === 0) return [of(width, height)];
  return passes.map(([column, row, columns, rows]) =>
    of(Math.ceil((width - column) / columns), Math.ceil((height - row) / rows)),
  );
}

/** Returns the compressed pixels without the bytes after their end. */
function checkedPixels(packed: Buffer, expected: readonly Rows[]): Buffer {
  const { pixels, used } = inflated(
    packed,
    expected.reduce((sum, { count, length }) => sum + count * length, 0),
  );
  let at = 0;
  for (const { count, length } of expected)
    for (let row = 0; row < count; row += 1) {
      if (pixels.readUInt8(at) > maxFilter) throw new LogoFault('a PNG with an unknown filter of its rows');
      at += length;
    }
  return packed.subarray(0, used);
}

function inflated(packed: Buffer, expected: number): { pixels: Buffer; used: number } {
  try {
    const options = { maxOutputLength: expected, info: true };
    const { buffer, engine } = inflateSync(packed, options) as unknown as Inflated;
    if (buffer.length === expected) return { pixels: buffer, used: engine.bytesWritten };
  } catch {
    // Damaged data and too many pixels are refused below, like too few pixels.
  }
  throw new LogoFault('a PNG whose pixels do not fit its size');
}

/** What `inflateSync` returns with the option `info`. `bytesWritten` is the number of compressed bytes that it read. */
interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

const [jpegStart, jpegEnd, jpegScan, jpegApp0, jpegApp14] = [0xd8, 0xd9, 0xda, 0xe0, 0xee];
/** Markers of frames that browsers decode: baseline, extended and progressive. */
const jpegFrames: readonly number[] = [0xc0, 0xc1, 0xc2];
/** Markers that stay besides frames and scans: tables and the restart interval. */
const jpegTables: readonly number[] = [0xc4, 0xdb, 0xdd];
/** Maximum number of scans. Programs write about 10. Browsers decode all pixels again for each scan. */
const maxScans = 100;

function cleanJpeg(bytes: Buffer): Buffer {
  const parts = new Parts(bytes, 2);
  const kept: Buffer[] = [Buffer.from([0xff, jpegStart])];
  let frames = 0;
  let scans = 0;
  for (let marker = jpegMarker(parts); marker !== jpegEnd; marker = jpegMarker(parts)) {
    const data = parts.take(parts.take(2).readUInt16BE() - 2);
    if (jpegFrames.includes(marker)) {
      if (data.length < 6) throw new LogoFault('a damaged JPEG');
      assertSize(data.readUInt16BE(3), data.readUInt16BE(1));
      frames += 1;
    } else if (marker === jpegScan) {
      scans += 1;
      if (scans > maxScans) throw new LogoFault(`a JPEG with more than ${maxScans} scans`);
    } else if (marker >= 0xc0 && marker <= 0xcf && !jpegTables.includes(marker))
      throw new LogoFault('a JPEG with an unknown encoding');
    const shown = shownSegment(marker, data);
    if (shown) kept.push(jpegSegment(marker, shown));
    if (marker === jpegScan) kept.push(parts.takeUntil(isJpegMarker));
  }
  if (frames !== 1 || scans === 0) throw new LogoFault('a JPEG without pixels');
  return Buffer.concat([...kept, Buffer.from([0xff, jpegEnd])]);
}

function jpegMarker(parts: Parts): number {
  if (parts.byte() !== 0xff) throw new LogoFault('a damaged JPEG');
  let marker = parts.byte();
  while (marker === 0xff) marker = parts.byte();
  // Markers below the start of an image have no length, so the end of their data would not be known.
  if (marker < 0xc0 || (marker >= 0xd0 && marker <= jpegStart)) throw new LogoFault('a damaged JPEG');
  return marker;
}

/** Whether a marker begins here. Inside the pixels, a byte `ff` is followed by zero or by the number of a restart. */
function isJpegMarker(bytes: Buffer, at: number): boolean {
  const next = bytes[at + 1] ?? 0;
  return bytes[at] === 0xff && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7);
}

/** Returns the data of a segment that stays, without a thumbnail; undefined for a segment that is left out. */
function shownSegment(marker: number, data: Buffer): Buffer | undefined {
  if (jpegFrames.includes(marker) || jpegTables.includes(marker) || marker === jpegScan) return data;
  if (marker === jpegApp14 && data.toString('latin1', 0, 5) === 'Adobe') return data.subarray(0, 12);
  if (marker !== jpegApp0 || data.toString('latin1', 0, 5) !== 'JFIF\0' || data.length < 14) return undefined;
  return Buffer.concat([data.subarray(0, 12), Buffer.alloc(2)]);
}

function jpegSegment(marker: number, data: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length + 2);
  return Buffer.concat([Buffer.from([0xff, marker]), length, data]);
}

const [gifImage, gifExtension, gifEnd, gifControl] = [0x2c, 0x21, 0x3b, 0xf9];

type FrameNumbers = [left: number, top: number, columns: number, rows: number];

/** Of several frames, the first one stays. So a logo never moves. */
function cleanGif(bytes: Buffer): Buffer {
  const parts = new Parts(bytes, 0);
  const head = parts.take(13);
  const [width, height] = [head.readUInt16LE(6), head.readUInt16LE(8)];
  assertSize(width, height);
  const kept = [head, parts.take(tableLength(head.readUInt8(10)))];
  let control: Buffer = Buffer.alloc(0);
  for (let sign = parts.byte(); sign !== gifImage; sign = parts.byte()) {
    if (sign !== gifExtension) throw new LogoFault('a GIF without pixels');
    const label = parts.byte();
    const blocks = gifBlocks(parts);
    if (label === gifControl && blocks.length === 6)
      control = Buffer.concat([Buffer.from([gifExtension, label]), blocks]);
  }
  const descriptor = parts.take(9);
  const [left, top, columns, rows] = [0, 2, 4, 6].map((at) => descriptor.readUInt16LE(at)) as FrameNumbers;
  if (columns < 1 || rows < 1 || left + columns > width || top + rows > height)
    throw new LogoFault(`a GIF with a frame of ${columns} × ${rows} pixels at ${left}, ${top}, outside its size`);
  const flags = descriptor.readUInt8(8);
  if (tableLength(flags) + tableLength(head.readUInt8(10)) === 0) throw new LogoFault('a GIF without its palette');
  kept.push(control, Buffer.from([gifImage]), descriptor, parts.take(tableLength(flags)));
  const codeSize = parts.take(1);
  const blocks = gifBlocks(parts);
  if (blocks.length === 1) throw new LogoFault('a GIF without pixels');
  if (codeSize.readUInt8() < 2 || codeSize.readUInt8() > 8) throw new LogoFault('a GIF with an unknown encoding');
  kept.push(codeSize, blocks, Buffer.from([gifEnd]));
  return Buffer.concat(kept);
}

function tableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Returns blocks with their lengths, up to and including the empty block at their end. */
function gifBlocks(parts: Parts): Buffer {
  const blocks: Buffer[] = [];
  for (;;) {
    const length = parts.take(1);
    blocks.push(length, parts.take(length.readUInt8()));
    if (length.readUInt8() === 0) return Buffer.concat(blocks);
  }
}

/** Flag of the extended header of a WebP: the file has a part with transparency. */
const webpAlpha = 0x10;

function cleanWebp(bytes: Buffer): Buffer {
  const parts = new Parts(bytes, 12);
  let alpha: Buffer | undefined;
  while (!parts.isAtEnd) {
    const name = parts.take(4).toString('latin1');
    const length = parts.take(4).readUInt32LE();
    const data = parts.take(length);
    if (length % 2 === 1 && !parts.isAtEnd) parts.take(1);
    if (name === 'ANIM' || name === 'ANMF') throw new LogoFault('an animated WebP');
    if (name === 'ALPH') alpha = data;
    if (name !== 'VP8 ' && name !== 'VP8L') continue;
    const { width, height } = name === 'VP8 ' ? lossySize(data) : losslessSize(data);
    assertSize(width, height);
    const isLayered = name === 'VP8 ' && alpha !== undefined;
    const layers = isLayered ? [webpHead(width, height), webpChunk('ALPH', alpha as Buffer)] : [];
    const body = Buffer.concat([Buffer.from('WEBP'), ...layers, webpChunk(name, data)]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(body.length);
    return Buffer.concat([Buffer.from('RIFF'), size, body]);
  }
  throw new LogoFault('a WebP without pixels');
}

function lossySize(data: Buffer): { width: number; height: number } {
  if (data.length < 10 || data.toString('hex', 3, 6) !== '9d012a') throw new LogoFault('a damaged WebP');
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

function losslessSize(data: Buffer): { width: number; height: number } {
  if (data.length < 5 || data[0] !== 0x2f) throw new LogoFault('a damaged WebP');
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function webpHead(width: number, height: number): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt8(webpAlpha, 0);
  head.writeUIntLE(width - 1, 4, 3);
  head.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', head);
}

function webpChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8, name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
