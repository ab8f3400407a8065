/**
 * Redacts a hundred thousand hostile texts: `node dist/test/fuzz/redaction.js [--bodies 100000] [--seed 1]`. The
 * program prints the longest times, and the planted secrets that redaction has not removed. It exits with 1 when a
 * secret was not removed or a text took longer than the limit.
 */
import { parseArgs } from 'node:util';
import { type RedactionScope, redactText } from '../../src/intake/redact.ts';
import { clean } from '../../src/intake/text.ts';
import { linkedIssues } from '../../src/notes/change/link.ts';
import { hostileText } from '../helpers/hostile-texts.ts';

/** Maximum processor time for a text of 65,536 characters, in milliseconds. */
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
  // Measures the slowest texts again at the end. Another program can slow the machine for minutes, and every text in
  // these minutes then seems slow.
  for (const slow of slowest) slow.ms = Math.min(slow.ms, timeOf(slow.seed));
  keepSlowest(slowest, 10);
  return { slowest, slowestLinks, left };
}

/** Returns the processor time of the redaction of one text, in milliseconds. */
function timeOf(seed: number): number {
  const scope = scopeOf(seed);
  const body = clean(hostileText(seed, scope).text);
  return cpuMs(() => redactText(body, scope));
}

function scopeOf(seed: number): RedactionScope {
  return seed % 4 === 0 ? 'text' : 'comment';
}

/**
 * Returns the shortest processor time of some work, in milliseconds. Work that seems slow runs up to five more times,
 * because a single measurement can include garbage collection.
 */
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

// Runs the code before the measurement, because code is slower until the compiler has optimized it.
run(500, 0);
const { slowest, slowestLinks, left } = run(Number(values.bodies), Number(values.seed));
process.stdout.write(`${values.bodies} texts from seed ${values.seed}, the slowest:\n`);
for (const { seed, kind, ms } of slowest) process.stdout.write(`  ${ms.toFixed(2)} ms  seed ${seed} (${kind})\n`);
process.stdout.write(`linked issues: at most ${slowestLinks.toFixed(2)} ms\n`);
process.stdout.write(`planted secrets left: ${left.length}\n${left.slice(0, 20).join('\n')}\n`);
process.exitCode = left.length > 0 || (slowest[0]?.ms ?? 0) > limitMs ? 1 : 0;
