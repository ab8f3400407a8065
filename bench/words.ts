/**
 * Measures the words of drafts on recorded histories of webhooks, as given and bare, and prints a table.
 * `npm run bench:words -- FOLDER [--wrong]`
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitWith } from '../src/cli/exit.ts';
import { createProgress } from '../src/cli/progress.ts';
import { type DraftResult, measureDrafts } from './words/drafts.ts';
import { loadHistory, suffix } from './words/history.ts';
import { measurePrefixes, type PrefixResult } from './words/prefixes.ts';
import type { Variant } from './words/variants.ts';

const help = `npm run bench:words -- FOLDER [--wrong]

  FOLDER    folder with recorded histories: NAME${suffix} with one delivery per line, and NAME.oracle.json
  --wrong   also prints each wrong kind, altered name and line that a draft should not have
`;

interface Row {
  name: string;
  variant: Variant;
  prefixes: PrefixResult;
  drafts: DraftResult;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { wrong: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [folder] = positionals;
  if (values.help || folder === undefined || positionals.length > 1) {
    (values.help ? process.stdout : process.stderr).write(help);
    return values.help ? 0 : 2;
  }
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .sort();
  if (files.length === 0) {
    process.stderr.write(`No history in ${folder}: expected files named NAME${suffix}.\n`);
    return 2;
  }
  const rows = await measure(files.map((file) => join(folder, file)));
  process.stdout.write(`${tableOf(rows)}\n`);
  if (values.wrong) for (const row of rows) process.stdout.write(faultsOf(row));
  return 0;
}

async function measure(files: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  const variants: Variant[] = ['bare', 'given'];
  const progress = createProgress({ label: 'words', total: files.length * variants.length, stream: process.stderr });
  for (const file of files) {
    for (const variant of variants) {
      const { name, view, ranges, close } = await loadHistory(file, variant);
      try {
        rows.push({ name, variant, prefixes: measurePrefixes(view), drafts: measureDrafts(view, ranges) });
      } finally {
        await close();
      }
      progress.advance();
    }
  }
  progress.done();
  return rows;
}

/** Returns the figures as a Markdown table, one column for each history and variant. */
function tableOf(rows: readonly Row[]): string {
  const lines: [string, (row: Row) => string][] = [
    ['kinds without prefix: decided', ({ prefixes }) => share(prefixes.decided, prefixes.prefixed)],
    ['kinds without prefix: right of decided', ({ prefixes }) => share(prefixes.right, prefixes.decided)],
    ['inside work that got a section', ({ prefixes }) => share(prefixes.insideListed, prefixes.inside)],
    ['ranges', ({ drafts }) => `${drafts.ranges}`],
    ['entries', ({ drafts }) => `${drafts.entries}`],
    ['entries without a kind', ({ drafts }) => share(drafts.undecided, drafts.entries)],
    ['ranges that say “No changes”', ({ drafts }) => `${drafts.noChanges}`],
    ['… although there are changes', ({ drafts }) => `${drafts.falseNoChanges.length}`],
    ['area headings with one entry', ({ drafts }) => share(drafts.singleAreaHeadings, drafts.areaHeadings)],
    ['section headings with one entry', ({ drafts }) => share(drafts.singleSectionHeadings, drafts.sectionHeadings)],
    ['altered names', ({ drafts }) => `${drafts.alteredNames.length} of ${drafts.names}`],
    ['customer lines about inside work', ({ drafts }) => `${drafts.insideLines.length} of ${drafts.customerLines}`],
  ];
  const heads = rows.map(({ name, variant }) => `${name}, ${variant}`);
  return [
    `| | ${heads.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(rows.length)}`,
    ...lines.map(([label, read]) => `| ${label} | ${rows.map(read).join(' | ')} |`),
  ].join('\n');
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} % (${part} of ${whole})`;
}

function faultsOf({ name, variant, prefixes, drafts }: Row): string {
  const lists: [string, readonly string[]][] = [
    ['wrong kinds', prefixes.wrong],
    ['“No changes” although there are changes', drafts.falseNoChanges],
    ['altered names', drafts.alteredNames],
    ['customer lines about inside work', drafts.insideLines],
  ];
  const parts = lists.map(
    ([label, items]) => `\n${name}, ${variant}: ${label}\n${items.map((item) => `  ${item}\n`).join('')}`,
  );
  return parts.join('');
}

await exitWith(await main());
