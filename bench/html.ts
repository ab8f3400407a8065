/**
 * Writes the report as one self-contained page with tables and SVG plots.
 */
import { cpuPlot, growthPlots, latencyPlot } from './plots.ts';
import {
  facts,
  judgedOf,
  lineText,
  markOf,
  type Report,
  remarksOf,
  type ScenarioReport,
  shortened,
  subjectCells,
  subjectColumns,
  valueText,
} from './report.ts';
import { type Figure, holds, type Measured } from './scenario.ts';

const style = `
:root { color-scheme: light dark; --good: #1a7f37; --bad: #cf222e; --grid: #8884; --inside: #fff;
  --c0: #1f6feb; --c1: #bc4c00; --c2: #6e7781; --c3: #8250df; --c4: #1a7f37; --c5: #bf3989; --c6: #9a6700; --c7: #0a7ea4; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --inside: #0d1117;
  --c0: #58a6ff; --c1: #f0883e; --c2: #8b949e; --c3: #bc8cff; --c4: #3fb950; --c5: #ff7bbd; --c6: #d29922; --c7: #56d4dd; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 14px; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--grid); vertical-align: top; }
th.text, td.text { text-align: left; }
.good { color: var(--good); } .bad { color: var(--bad); }
h2 { margin-top: 2.5rem; } h3 { margin-top: 1.8rem; font-size: 1rem; }
.wide { overflow-x: auto; }
pre { white-space: pre-wrap; font-size: 13px; } svg { max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
svg text.title { font-weight: 600; } svg text.key { font-size: 11px; } svg text.inside { fill: var(--inside); font-size: 11px; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }`;

/** Columns of the table of programs that contain text. */
const textColumns = new Set(['program', 'by process', 'durability']);

/** Writes the page of a report. */
export function toHtml(report: Report): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tidings bench, ${escaped(report.at)}</title><style>${style}</style></head>
<body><h1>Tidings bench</h1>
<p>${facts(report).map(escaped).join('<br>')}</p>
<p>Settings of the service that differ from the defaults: ${escaped(JSON.stringify(report.settings.service))}</p>
<h2>Lines</h2>
${judgedTable(report)}
${report.scenarios.map((scenario) => section(scenario, report)).join('\n')}
</body></html>
`;
}

function judgedTable(report: Report): string {
  const rows = judgedOf(report).map(({ scenario, load, figure }) => [
    cell(scenario, 'text'),
    cell(shortened(load), 'text'),
    cell(figure.name, 'text'),
    cell(valueText(figure), verdictOf(figure)),
    cell(lineText(figure.line)),
    cell(figure.stretch === undefined ? '' : String(figure.stretch)),
    cell(markOf(figure), verdictOf(figure)),
  ]);
  const head = ['scenario', 'load', 'figure', 'value', 'line', 'stretch', ''];
  return table(
    head.map((text, i) => heading(text, i < 3)),
    rows,
  );
}

function section({ name, question, measured, at, commit, tookSeconds }: ScenarioReport, report: Report): string {
  const earlier = commit === report.machine.commit ? '' : ` Measured ${at} at commit ${commit}.`;
  return `<h2>${escaped(name)}</h2>
<p>${escaped(question)}${escaped(earlier)}</p>
<p><code>npm run bench -- ${escaped(name)}</code>, ${Math.round(tookSeconds)} s</p>
<div class="plots">${growthPlots(measured).join('')}</div>
${measured.map(measuredPart).join('\n')}`;
}

function measuredPart(measured: Measured): string {
  const { load, subjects, figures } = measured;
  const programs = table(
    subjectColumns.map((text) => heading(text, textColumns.has(text))),
    subjects.map((subject) =>
      subjectCells(subject).map((text, i) => cell(text, textColumns.has(subjectColumns[i] ?? '') ? 'text' : '')),
    ),
  );
  return `<h3>${escaped(load)}</h3>
${subjects.length > 0 ? programs : ''}
${table([heading('figure', true), heading('value'), heading('line'), heading('stretch')], figures.map(figureCells))}
<div class="plots">${cpuPlot(subjects)}${latencyPlot(subjects)}</div>
<pre>${remarksOf(measured).map(escaped).join('\n')}</pre>`;
}

function figureCells(figure: Figure): string[] {
  return [
    cell(figure.name, 'text'),
    cell(`${markOf(figure)} ${valueText(figure)}`, verdictOf(figure)),
    cell(lineText(figure.line)),
    cell(figure.stretch === undefined ? '' : String(figure.stretch)),
  ];
}

function verdictOf(figure: Figure): string {
  if (figure.line === null) return '';
  return holds(figure) ? 'good' : 'bad';
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const body = rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n');
  return `<div class="wide"><table><tr>${head.join('')}</tr>\n${body}</table></div>`;
}

function heading(text: string, isText = false): string {
  return `<th${isText ? ' class="text"' : ''}>${escaped(text)}</th>`;
}

function cell(text: string, name = ''): string {
  return `<td${name === '' ? '' : ` class="${name}"`}>${escaped(text)}</td>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
