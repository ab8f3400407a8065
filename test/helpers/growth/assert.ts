/**
 * Asserts that the time of text functions grows at most in proportion to the length of hostile texts. Every test run
 * measures the shapes that are listed here. `test/fuzz/growth.ts` tries many more shapes.
 */
import assert from 'node:assert/strict';
import { superlinear } from './search.ts';
import { countedShapes, enclosed, halves, repeated, worst } from './shapes.ts';
import { textFunctions } from './text-functions.ts';

/**
 * Lengths to measure, in characters. The time for 32 KiB is compared with the time for 4 KiB. When the time has grown
 * too fast, the time for 256 KiB is also measured. `test/fuzz/growth.ts` can measure longer texts.
 */
const lengths = { from: 4096, step: 8, to: 32_768 };
/** A few shapes of text. They are used for functions that call many other text functions. */
const few = [' ', '\0 ', '*a ', '`a', '<!--', '\n- a'].map((piece) => repeated(piece));
const nested = [halves('*a ', 'a* '), halves('![', '](b)'), halves('> ', '\n'), halves('<b>', '</b>')];

/**
 * Asserts, for each function of a source folder and each shape of text, that the time grows at most in proportion to
 * the length of the text.
 */
export function assertProportion(folder: string): void {
  for (const { name, isWhole, work } of textFunctions[folder] ?? assert.fail(`no functions of ${folder}`)) {
    for (const shape of isWhole ? few : [...worst, ...enclosed, ...nested, ...countedShapes]) {
      const growth = superlinear(shape, work, lengths);
      const slowdown = growth && `${growth.factor.toFixed(0)} times as long (${growth.ms.toFixed(0)} ms)`;
      assert.equal(
        growth,
        undefined,
        `${name} on ${shape.name} of ${growth?.length}: ${slowdown} for ${lengths.step} times the length`,
      );
    }
  }
}
