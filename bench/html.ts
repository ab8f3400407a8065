/**
 * Writes the report as one self-contained page with tables and SVG plots.
 */
import type { Side } from './figures.ts';
import { curve, roundsPlot } from './plots.ts';
import { facts, type Report, rate, remarksOf, type ScenarioReport } from './report.ts';
import { type Comparison, passesLine } from './scenario.ts';

const style = `
:root { color-scheme: light dark; --service: #1f6feb; --floor: #8b949e; --good: #1a7f37; --bad: #cf222e; --grid: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid var(--grid); }
th:first-child, td:first-child { text-align: left; }
.good { color: var(--good); } .bad { color: var(--bad); }
pre { white-space: pre-wrap; font-size: 13px; } svg { max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }`;

/** Writes the page of a report. */
export function toHtml(report: Report): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tidings bench, ${escaped(report.at)}</title><style>${style}</style></head>
<body><h1>Tidings bench</h1>
<p>${facts(report).map(escaped).join('<br>')}</p>
<p>Settings of the service that differ from the defaults: ${escaped(JSON.stringify(report.settings.service))}</p>
${report.scenarios.map(section).join('\n')}
</body></html>
`;
}

function section({ name, question, floor, comparisons }: ScenarioReport): string {
  return `<h2>${escaped(name)}</h2>
<p>${escaped(question)}</p><p>Floor: ${escaped(floor)}.</p>
${comparisons.map(comparisonPart).join('\n')}`;
}

function comparisonPart(comparison: Comparison): string {
  const { load, service, floor, ratio, line } = comparison;
  const good = passesLine(comparison);
  return `<h3>${escaped(load)}</h3>
<p class="${good ? 'good' : 'bad'}">Ratio ${ratio.toFixed(3)}${line === null ? '' : `, line ${line}`}: ${good ? 'passes' : 'fails'}.</p>
${sidesTable({ service, floor })}
<div class="plots">${roundsPlot(service, floor, line)}${curve({ service: service.latency, floor: floor.latency })}</div>
<pre>${remarksOf('', comparison).slice(1).map(escaped).join('\n')}</pre>`;
}

function sidesTable(sides: Record<'service' | 'floor', Side>): string {
  const head = ['', 'median req/s', 'min', 'max', 'replies', 'p50 ms', 'p97.5', 'p99', 'p99.9', 'max'];
  const rows = Object.entries(sides).map(([name, { requestsPerSecond: speed, latency, answers }]) => {
    const times = Object.values(latency).map((ms: number) => ms.toFixed(2));
    return [name, rate(speed.median), rate(speed.min), rate(speed.max), rate(answers), ...times];
  });
  const cells = (tag: string, values: readonly string[]) => values.map((text) => `<${tag}>${text}</${tag}>`).join('');
  const body = rows.map((values) => `<tr>${cells('td', values)}</tr>`).join('');
  return `<table><tr>${cells('th', head)}</tr>${body}</table>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
