/** Makes screenshots small: a PNG with a palette instead of full colors, which keeps text and flat areas sharp. */
import { deflateSync, inflateSync } from 'node:zlib';
import { pngChunk } from './pictures.ts';

const signatureLength = 8;
/** Largest number of colors of a palette. */
const maxColors = 256;

/**
 * Returns a screenshot with at most 256 colors.
 * @param screenshot a PNG with 8 bits per channel and without interlacing, as the browser makes it
 */
export function smallPng(screenshot: Buffer): Buffer {
  const { width, height, channels, rows } = decode(screenshot);
  const colorAt = (row: Buffer, x: number, step: number): number =>
    [0, 1, 2].reduce((sum, part) => sum * 256 + rounded(row[x * channels + part] as number, step), 0);
  const counted = new Map<number, number>();
  let step = 1;
  for (; step <= 64; step *= 2) {
    counted.clear();
    for (const row of rows)
      for (let x = 0; x < width; x++) {
        const color = colorAt(row, x, step);
        counted.set(color, (counted.get(color) ?? 0) + 1);
      }
    if (counted.size <= maxColors) break;
  }
  const index = new Map([...counted.keys()].map((color, i) => [color, i]));
  const pixels = Buffer.alloc(height * (width + 1));
  rows.forEach((row, y) => {
    for (let x = 0; x < width; x++) pixels[y * (width + 1) + 1 + x] = index.get(colorAt(row, x, step)) as number;
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from([...index.keys()].flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    screenshot.subarray(0, signatureLength),
    pngChunk('IHDR', head),
    pngChunk('PLTE', palette),
    pngChunk('IDAT', deflateSync(pixels, { level: 9 })),
    pngChunk('IEND', ''),
  ]);
}

/** Rounds a part of a color to a multiple of `step`. Black and white stay. */
function rounded(value: number, step: number): number {
  return Math.min(255, Math.round(value / step) * step);
}

function decode(png: Buffer): { width: number; height: number; channels: number; rows: Buffer[] } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = signatureLength; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const data = inflateSync(Buffer.concat(parts));
  const length = width * channels;
  const rows: Buffer[] = [];
  let before = Buffer.alloc(length);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (length + 1)] as number;
    const row = Buffer.from(data.subarray(y * (length + 1) + 1, (y + 1) * (length + 1)));
    for (let i = 0; i < length; i++) {
      const left = i < channels ? 0 : (row[i - channels] as number);
      const corner = i < channels ? 0 : (before[i - channels] as number);
      row[i] = (row[i] as number) + predicted(filter, left, before[i] as number, corner);
    }
    rows.push(row);
    before = row;
  }
  return { width, height, channels, rows };
}

/** Returns what a filter of the PNG format predicts from the neighbours of a byte. */
function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
