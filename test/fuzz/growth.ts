/**
 * Runs hostile texts through all functions that read users' texts: `node dist/test/fuzz/growth.js [--rounds 2000]
 * [--seed 1] [--only WORDS] [--to 32768]`. The program prints each function whose time grows faster than the length of
 * the text. It exits with 1 when it finds such a function.
 */
import { parseArgs } from 'node:util';
import { superlinear } from '../helpers/growth/search.ts';
import { countedShapes, pieces, randomShape, repeated, type Shape } from '../helpers/growth/shapes.ts';
import { textFunctions } from '../helpers/growth/text-functions.ts';
import { seeded } from '../helpers/random.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    to: { type: 'string', default: '32768' },
  },
});
const random = seeded(Number(values.seed));
const functions = Object.entries(textFunctions).flatMap(([folder, all]) =>
  all.map(({ name, work }) => ({ name: `${folder}: ${name}`, work })),
);
const chosen = functions.filter(({ name }) => name.includes(values.only));
const found = new Map<string, number>();

function tryShape(shape: Shape): void {
  for (const { name, work } of chosen) {
    if ((found.get(name) ?? 0) >= 5) continue;
    const growth = superlinear(shape, work, { from: 2048, step: 4, to: Number(values.to) });
    if (!growth) continue;
    found.set(name, (found.get(name) ?? 0) + 1);
    const { factor, length, ms } = growth;
    process.stdout.write(`${name}: ${shape.name}: ${factor.toFixed(1)} times at ${length} (${ms.toFixed(0)} ms)\n`);
  }
}

for (const piece of pieces) tryShape(repeated(piece));
for (const shape of countedShapes) tryShape(shape);
process.stdout.write('random shapes:\n');
for (let round = 0; round < Number(values.rounds); round += 1) tryShape(randomShape(random));
process.stdout.write(`${found.size} of ${chosen.length} functions grow faster than their text\n`);
process.exitCode = found.size > 0 ? 1 : 0;
