/** Tests the accent color of pages: every color can be read on both papers, and good colors stay as they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accentDigits, accentRules, contrastOf, readableAccent } from '../../../src/pages/accent.ts';
import { palettes } from '../../../src/pages/tokens.ts';

const schemes = ['light', 'dark'] as const;

test('contrast is computed as in WCAG', () => {
  assert.equal(contrastOf('#000000', '#ffffff'), 21);
  assert.equal(contrastOf('#ffffff', '#ffffff'), 1);
  assert.ok(Math.abs(contrastOf('#777777', '#ffffff') - 4.48) < 0.01);
});

test('the colors of both schemes can be read on their paper', () => {
  for (const scheme of schemes) {
    const { paper, shade, line, amber, ...others } = palettes[scheme];
    assert.notEqual(line, paper);
    assert.ok(contrastOf(amber, paper) >= 4.5, scheme);
    for (const [name, colour] of Object.entries(others))
      for (const below of [paper, shade]) assert.ok(contrastOf(colour, below) >= 4.5, `${scheme} ${name}`);
  }
});

test('every accent color becomes one that can be read, and text in the color of the paper can be read on it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), fc.constantFrom(...schemes), (number, scheme) => {
      const digits = number.toString(16).padStart(6, '0');
      const shown = readableAccent(digits, scheme);
      assert.match(shown, /^#[0-9a-f]{6}$/);
      for (const below of [palettes[scheme].paper, palettes[scheme].shade])
        assert.ok(contrastOf(shown, below) >= 4.5, `${digits} ${shown}`);
    }),
    { numRuns: 2000 },
  );
});

test('a color with enough contrast stays as it is, and another one is changed as little as possible', () => {
  assert.equal(readableAccent('0b57b7', 'light'), '#0b57b7');
  assert.equal(readableAccent('ffd400', 'dark'), '#ffd400');
  const yellow = readableAccent('ffd400', 'light');
  assert.notEqual(yellow, '#ffd400');
  assert.ok(contrastOf(yellow, palettes.light.shade) < 4.8, yellow);
  assert.equal(readableAccent('ffffff', 'dark'), '#ffffff');
  assert.equal(readableAccent('000000', 'light'), '#000000');
});

test('only colors become part of an address or a stylesheet', () => {
  assert.equal(accentDigits('#0B57b7'), '0b57b7');
  assert.equal(accentDigits('#05b'), '0055bb');
  for (const text of ['', '#', '#12', '#1234', '#12345g', '0b57b7', '#0b57b7;', 'red', '#0b57b7\n', ' #0b57b7'])
    assert.equal(accentDigits(text), undefined, text);
  assert.match(accentRules('0b57b7'), /--accent: #0b57b7;[\s\S]*dark[\s\S]*--accent: #[0-9a-f]{6};/);
  for (const text of [null, '', '0B57B7', '0b57b', '0b57b7}', '0b57b7\n', '} body { display: none }'])
    assert.equal(accentRules(text), '', String(text));
});
