/**
 * A hundred thousand hostile texts through redaction: `node dist/test/fuzz/redaction.js [--bodies 100000] [--seed 1]`. Says how
 * long the slowest took and which planted secrets were left; ends with 1 for a secret left or a text over the limit.
 */
import { parseArgs } from 'node:util';
import { type RedactionScope, redactText } from '../../src/intake/redact.ts';
import { clean } from '../../src/intake/text.ts';
import { linkedIssues } from '../../src/notes/change/link.ts';
import { hostileText } from '../helpers/hostile-texts.ts';

/** Most processor time for a text of 65,536 characters, in milliseconds. */
const limitMs = 5;
const context = { fullName: 'acme/rocket', formerNames: [], origin: 'https://scm.example', ownNumber: 1 };

const { values } = parseArgs({
  options: { bodies: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});

interface Slow {
  seed: number;
  kind: string;
  ms: number;
}

function run(bodies: number, firstSeed: number): { slowest: Slow[]; slowestLinks: number; left: string[] } {
  const slowest: Slow[] = [];
  const left: string[] = [];
  let slowestLinks = 0;
  for (let seed = firstSeed; seed < firstSeed + bodies; seed += 1) {
    const scope = scopeOf(seed);
    const { kind, text, planted } = hostileText(seed, scope);
    const body = clean(text);
    let redacted = '';
    const ms = cpuMs(() => {
      redacted = redactText(body, scope);
    });
    for (const { core, kind: secret } of planted) {
      if (redacted.includes(core)) left.push(`seed ${seed} (${kind}, ${scope}): ${secret}`);
    }
    slowest.push({ seed, kind, ms });
    if (slowest.length > 1000) keepSlowest(slowest, 10);
    slowestLinks = Math.max(
      slowestLinks,
      cpuMs(() => linkedIssues(body, context)),
    );
  }
  keepSlowest(slowest, 100);
  // Once more at the end: a neighbour that slows the machine for minutes has slowed whole series of texts.
  for (const slow of slowest) slow.ms = Math.min(slow.ms, timeOf(slow.seed));
  keepSlowest(slowest, 10);
  return { slowest, slowestLinks, left };
}

/** Processor time of the redaction of one text. */
function timeOf(seed: number): number {
  const scope = scopeOf(seed);
  const body = clean(hostileText(seed, scope).text);
  return cpuMs(() => redactText(body, scope));
}

function scopeOf(seed: number): RedactionScope {
  return seed % 4 === 0 ? 'text' : 'comment';
}

/** Processor time of some work; what seems slow is done up to five times more, since collections of garbage count too. */
function cpuMs(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 6 && best > limitMs / 2; i += 1) {
    const began = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(began);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

function keepSlowest(all: Slow[], count: number): void {
  all.sort((a, b) => b.ms - a.ms);
  all.length = Math.min(all.length, count);
}

// The first hundreds of texts run before the compiler has done its work.
run(500, 0);
const { slowest, slowestLinks, left } = run(Number(values.bodies), Number(values.seed));
process.stdout.write(`${values.bodies} texts from seed ${values.seed}, the slowest:\n`);
for (const { seed, kind, ms } of slowest) process.stdout.write(`  ${ms.toFixed(2)} ms  seed ${seed} (${kind})\n`);
process.stdout.write(`linked issues: at most ${slowestLinks.toFixed(2)} ms\n`);
process.stdout.write(`planted secrets left: ${left.length}\n${left.slice(0, 20).join('\n')}\n`);
process.exitCode = left.length > 0 || (slowest[0]?.ms ?? 0) > limitMs ? 1 : 0;
