/**
 * Cuts a hundred thousand generated texts: `node dist/test/fuzz/payload.js [--texts 100000] [--seed 1]`. Each text is
 * compared with the whole parse without the fields that the schema of the event does not name. The program stops at the
 * first difference, and prints the smallest text that still shows it.
 */
import { parseArgs } from 'node:util';
import { payloadSchemas } from '../../src/intake/events.ts';
import { aCutter, fuzzCut } from '../helpers/cut.ts';

const { values } = parseArgs({
  options: { texts: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});

/** `fuzzCut` makes four kinds of texts. */
const kinds = 4;
const cutter = aCutter();
const schemas = new Map([...payloadSchemas].map(([event, schema]) => [schema, event]));
const numRuns = Math.ceil(Number(values.texts) / kinds / schemas.size);
for (const [schema, event] of schemas) {
  fuzzCut(cutter, schema, { numRuns, seed: Number(values.seed) });
  process.stdout.write(`${event}: ${numRuns * kinds} texts\n`);
}
