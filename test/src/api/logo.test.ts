/**
 * Tests which pictures may be a logo, and what their stored form contains. `test/browser/pages.test.ts` shows that
 * browsers can decode the stored form.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { cleanLogo } from '../../../src/api/logo.ts';
import { dataUri, gif, gifFrame, jpeg, jpegSegment, png, pngChunk, webp, webpChunk } from '../../helpers/pictures.ts';

function cleaned(kind: string, bytes: Buffer): Buffer {
  const result = cleanLogo(dataUri(kind, bytes));
  assert.ok('uri' in result, JSON.stringify(result));
  assert.ok(result.uri.startsWith(`data:image/${kind};base64,`));
  return Buffer.from(result.uri.split(',')[1] ?? '', 'base64');
}

function faultOf(kind: string, bytes: Buffer): string {
  const result = cleanLogo(dataUri(kind, bytes));
  return 'fault' in result ? result.fault : '';
}

const secret = 'taken at 48.1N 11.5E by Ada';

test('a PNG keeps its pixels, palette and transparency, and nothing else', () => {
  const palette = pngChunk('PLTE', Buffer.from([1, 2, 3]));
  const kept = cleaned(
    'png',
    Buffer.concat([
      png({
        before: [pngChunk('tEXt', secret), palette, pngChunk('gAMA', Buffer.alloc(4, 1)), pngChunk('iCCP', secret)],
        after: [pngChunk('tIME', Buffer.alloc(7)), pngChunk('eXIf', secret), pngChunk('fdAT', secret)],
      }),
      Buffer.from(`<script>${secret}</script>`),
    ]),
  );
  assert.deepEqual(kept, png({ before: [palette, pngChunk('gAMA', Buffer.alloc(4, 1))] }));
  assert.doesNotMatch(kept.toString('latin1'), /Ada|script/);
  assert.deepEqual(cleaned('png', kept), kept, 'it stays the same when it is saved again');
});

test('PNGs of all encodings are checked by the number of their pixels', () => {
  for (const [type, bits, rowBytes] of [
    [0, 1, 2],
    [0, 16, 18],
    [2, 8, 27],
    [3, 2, 3],
    [4, 8, 18],
    [6, 16, 72],
  ] as const) {
    const pixels = Buffer.alloc(5 * (1 + rowBytes));
    const picture = { width: 9, height: 5, type, bits, pixels };
    const before = type === 3 ? [pngChunk('PLTE', Buffer.from([1, 2, 3]))] : [];
    cleaned('png', png({ ...picture, before }));
    for (const wrong of [pixels.subarray(1), Buffer.concat([pixels, Buffer.alloc(1)])])
      assert.match(faultOf('png', png({ ...picture, before, pixels: wrong })), /pixels do not fit its size/);
  }
  // The passes of an interlaced picture of 5 × 5 gray pixels have 1, 1, 1·2, 2·1, 1·3… pixels.
  const rows = [
    [1, 1],
    [1, 1],
    [1, 2],
    [2, 1],
    [1, 3],
    [3, 2],
    [2, 5],
  ] as const;
  const bytes = rows.reduce((sum, [count, length]) => sum + count * (1 + length), 0);
  cleaned('png', png({ width: 5, height: 5, type: 0, interlace: 1, pixels: Buffer.alloc(bytes) }));
});

test('a PNG that is damaged, too large or unpacks to too much is refused', () => {
  const whole = png();
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(9, 19);
  assert.match(faultOf('png', damaged), /a damaged PNG/);
  assert.match(faultOf('png', whole.subarray(0, -6)), /ends too early/);
  assert.match(faultOf('png', png({ width: 1025, height: 1 })), /1025 × 1 pixels; at most 1024 × 1024/);
  assert.match(faultOf('png', png({ width: 0 })), /0 × 3 pixels/);
  assert.match(faultOf('png', png({ pixels: Buffer.alloc(20_000_000) })), /pixels do not fit its size/);
  assert.match(faultOf('png', png({ bits: 3 })), /unknown encoding/);
  assert.match(faultOf('png', png({ interlace: 2 })), /unknown encoding/);
  assert.match(faultOf('png', Buffer.concat([whole.subarray(0, 8), pngChunk('IDAT', deflateSync('x'))])), /header/);
  const incompressible = Buffer.from(Array.from({ length: 40_000 }, (_, i) => (i * 7919) % 251));
  assert.match(faultOf('png', Buffer.concat([whole, incompressible])), /expected at most 32768 bytes, got 40/);
});

test('a PNG keeps no bytes after the end of its pixels', () => {
  const packed = deflateSync(Buffer.alloc(9), { level: 9 });
  const given = (data: Buffer) =>
    Buffer.concat([
      png({ width: 8, height: 1, type: 0 }).subarray(0, 33),
      pngChunk('IDAT', data.subarray(0, 4)),
      pngChunk('IDAT', data.subarray(4)),
      pngChunk('IEND', ''),
    ]);
  const kept = cleaned('png', given(Buffer.concat([packed, Buffer.from(secret)])));
  assert.deepEqual(kept, cleaned('png', given(packed)));
  assert.doesNotMatch(kept.toString('latin1'), /Ada/);
});

test('pictures that browsers cannot show are refused', () => {
  const indexed = { width: 8, height: 1, type: 3, pixels: Buffer.alloc(9) };
  assert.match(faultOf('png', png(indexed)), /PNG without its palette/);
  assert.match(faultOf('png', png({ ...indexed, before: [pngChunk('PLTE', 'ab')] })), /PNG without its palette/);
  const rows = Buffer.alloc(18);
  rows.writeUInt8(5, 9);
  assert.match(faultOf('png', png({ width: 8, height: 2, type: 0, pixels: rows })), /unknown filter of its rows/);
  const scan = Buffer.concat([jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), Buffer.from([0x12])]);
  const scans = (count: number): Buffer => jpeg(Array.from({ length: count }, () => scan));
  cleaned('jpeg', scans(99));
  assert.match(faultOf('jpeg', scans(100)), /more than 100 scans/);
  for (const [at, value, fault] of [
    [1, 1, /frame of 1 × 1 pixels at 1, 0, outside its size/],
    [3, 1, /at 0, 1, outside/],
    [5, 0, /frame of 0 × 1/],
    [6, 0x2e, /frame of 11777 × 1 pixels/],
    [8, 0x2e, /frame of 1 × 11777 pixels/],
    [10, 1, /unknown encoding/],
    [10, 9, /unknown encoding/],
  ] as const) {
    const frame = Buffer.from(gifFrame);
    frame.writeUInt8(value, at);
    assert.match(faultOf('gif', gif([frame])), fault);
  }
  assert.match(faultOf('gif', gif([Buffer.concat([gifFrame.subarray(0, 11), Buffer.alloc(1)])])), /without pixels/);
  const bare = Buffer.concat([gif([]).subarray(0, 13), gifFrame, Buffer.from(';')]);
  bare.writeUInt8(0, 10);
  assert.match(faultOf('gif', bare), /GIF without its palette/);
});

test('a JPEG keeps its tables and pixels, without positions, comments, profiles and thumbnails', () => {
  const start = 'JFIF\0\x01\x02\x00\x00\x01\x00\x01';
  const jfif = jpegSegment(0xe0, `${start}\x01\x01rgb`);
  const adobe = jpegSegment(0xee, 'Adobe\0d\0\0\0\0\x01');
  const given = jpeg([
    jfif,
    jpegSegment(0xe1, `Exif\0\0${secret}`),
    jpegSegment(0xe2, secret),
    adobe,
    jpegSegment(0xfe, secret),
  ]);
  const kept = cleaned('jpeg', Buffer.concat([given, Buffer.from(`\xff\xd8<script>${secret}`, 'latin1')]));
  assert.deepEqual(kept, jpeg([jpegSegment(0xe0, `${start}\0\0`), adobe]));
  assert.deepEqual(cleaned('jpeg', kept), kept);
});

test('a JPEG that is damaged, too large or has an unknown encoding is refused', () => {
  assert.match(faultOf('jpeg', jpeg([], 2000, 3)), /2000 × 3 pixels/);
  assert.match(faultOf('jpeg', jpeg().subarray(0, 40)), /ends too early/);
  assert.match(faultOf('jpeg', jpeg([jpegSegment(0xc9, Buffer.alloc(9))])), /unknown encoding/);
  assert.match(faultOf('jpeg', jpeg([Buffer.from([0xff, 0xd8])])), /damaged JPEG/);
  assert.match(faultOf('jpeg', Buffer.from('\xff\xd8\xff\xd9', 'latin1')), /without pixels/);
});

test('a GIF keeps its first frame with its transparency', () => {
  const control = Buffer.from('!\xf9\x04\x01\x0a\x00\x01\x00', 'latin1');
  const loop = Buffer.concat([Buffer.from('!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00', 'latin1')]);
  const comment = Buffer.concat([
    Buffer.from('!\xfe', 'latin1'),
    Buffer.from([secret.length]),
    Buffer.from(secret),
    Buffer.alloc(1),
  ]);
  const kept = cleaned('gif', gif([loop, comment, control, gifFrame, control, gifFrame, comment]));
  assert.deepEqual(kept, gif([control, gifFrame]));
  assert.match(faultOf('gif', gif([])), /without pixels/);
  assert.match(faultOf('gif', gif([gifFrame.subarray(0, 12)])), /ends too early/);
});

test('a WebP keeps its pixels and its transparency, and an animation is refused', () => {
  const lossless = webpChunk('VP8L', Buffer.from([0x2f, 3, 0x80, 0, 0, 1]));
  const lossy = webpChunk('VP8 ', Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, 4, 0, 3, 0, 1]));
  const alpha = webpChunk('ALPH', Buffer.from([0, 1, 2]));
  const head = (flags: number) => webpChunk('VP8X', Buffer.from([flags, 0, 0, 0, 3, 0, 0, 2, 0, 0]));
  const exif = webpChunk('EXIF', Buffer.from(secret));
  assert.deepEqual(
    cleaned('webp', webp([head(0x2c), webpChunk('ICCP', Buffer.from(secret)), lossless, exif])),
    webp([lossless]),
  );
  const layered = webp([head(0x10), alpha, lossy]);
  assert.deepEqual(cleaned('webp', webp([head(0x1c), alpha, lossy, exif])), layered);
  assert.deepEqual(cleaned('webp', layered), layered);
  assert.match(faultOf('webp', webp([head(2), webpChunk('ANIM', Buffer.alloc(6)), lossy])), /an animated WebP/);
  assert.match(faultOf('webp', webp([exif])), /without pixels/);
  assert.match(
    faultOf('webp', webp([webpChunk('VP8L', Buffer.from([0x2f, 0xff, 0xff, 0xff, 0xff]))])),
    /16384 × 16384/,
  );
  assert.match(faultOf('webp', webp([webpChunk('VP8 ', Buffer.alloc(10))])), /damaged WebP/);
});

test('other bytes are refused, and so are bytes of another kind than the address says', () => {
  for (const text of ['', '<svg xmlns="http://www.w3.org/2000/svg"/>', '<html>', 'RIFF1234WAVE', '\x89PNG'])
    assert.match(faultOf('png', Buffer.from(text, 'latin1')), /expected a PNG, JPEG, GIF or WebP picture/, text);
  assert.match(faultOf('jpeg', png()), /expected image\/png, which the bytes are, got image\/jpeg/);
});

test('damaged pictures are refused or rewritten, and never end the service', () => {
  const files = [
    ['png', png()],
    ['jpeg', jpeg()],
    ['gif', gif()],
  ] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      fc.nat(),
      ([kind, whole], changes, cut) => {
        const bytes = Buffer.from(whole.subarray(0, whole.length - (cut % 3)));
        for (const [at, value] of changes) bytes.writeUInt8(value, at % bytes.length);
        const result = cleanLogo(dataUri(kind, bytes));
        if ('uri' in result) assert.deepEqual(cleanLogo(result.uri), result);
      },
    ),
    { numRuns: 3000 },
  );
});
