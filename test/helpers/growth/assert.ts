/**
 * The part of the hostile shapes that every run of the tests tries; `test/fuzz/growth.ts` tries many more.
 */
import assert from 'node:assert/strict';
import { superlinear } from './search.ts';
import { countedShapes, enclosed, halves, repeated, worst } from './shapes.ts';
import { textFunctions } from './text-functions.ts';

/** Texts of 64 KiB, compared with those of a sixteenth; what is slow there is measured at 1 MiB. */
const lengths = { from: 4096, step: 16, to: 65_536 };
/** For what is made of other functions. */
const few = [' ', '\0 ', '*a ', '`a', '<!--', '\n- a'].map((piece) => repeated(piece));
const nested = [halves('*a ', 'a* '), halves('![', '](b)'), halves('> ', '\n'), halves('<b>', '</b>')];

/** Asserts that no function of a folder takes more than in proportion on any of the shapes. */
export function assertProportion(folder: string): void {
  for (const { name, isWhole, work } of textFunctions[folder] ?? assert.fail(`no functions of ${folder}`)) {
    for (const shape of isWhole ? few : [...worst, ...enclosed, ...nested, ...countedShapes]) {
      const growth = superlinear(shape, work, lengths);
      const told = growth && `${growth.factor.toFixed(0)} times as long (${growth.ms.toFixed(0)} ms)`;
      assert.equal(growth, undefined, `${name} on ${shape.name} of ${growth?.length}: ${told} for 16 times the length`);
    }
  }
}
