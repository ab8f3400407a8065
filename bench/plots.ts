/**
 * Draws the plots of the report as SVG text: latency curves, stacked processor time, and growth lines. The page defines
 * the colors.
 */
import type { Measured, Subject } from './scenario.ts';

const width = 460;
const height = 250;
const left = 56;
const right = 12;
const top = 44;
const bottom = 30;
const plotHeight = height - top - bottom;
const plotWidth = width - left - right;
const colors = 8;

type Point = readonly [x: number, y: number];

/** A line of a plot, with the points in the units of the axes. */
interface Series {
  name: string;
  points: readonly Point[];
}

/** Percentages that the axis of a latency curve names. */
const percentTicks = [0, 50, 90, 99, 99.9, 99.99] as const;

/**
 * Draws the latency curves of programs: which percentage of the replies took at most so long. Both axes are
 * logarithmic, so the slowest replies get as much room as the others. Returns an empty text if there are no latencies.
 */
export function latencyPlot(subjects: readonly Subject[]): string {
  const series = subjects.flatMap(({ name, curve }) =>
    curve ? [{ name, points: curve.map(([percent, ms]): Point => [ninesOf(percent), ms]) }] : [],
  );
  // 0 % is the left end of the axis, and its label would touch that of 50 %.
  const ticks = percentTicks.map((percent): [number, string] => [
    ninesOf(percent),
    percent === 0 ? '' : `${percent} %`,
  ]);
  return linePlot('latency in ms, by percentage of the replies', series, ticks);
}

/** Draws a bar per program, with one part per process. Returns an empty text if no processor time is known. */
export function cpuPlot(subjects: readonly Subject[]): string {
  const known = subjects.filter(({ cpu }) => Object.keys(cpu).length > 0);
  if (known.length === 0) return '';
  const sums = known.map(({ cpu }) => sum(Object.values(cpu)));
  const highest = Math.max(...sums) || 1;
  const rowHeight = Math.min(56, (plotHeight + bottom) / known.length);
  const scale = (plotWidth - 60) / highest;
  const bars = known.map(({ name, cpu }, row) => {
    const y = top + row * rowHeight;
    const middle = y + rowHeight * 0.3;
    let x = left;
    const parts = Object.entries(cpu).map(([process, microseconds], i) => {
      const part = microseconds * scale;
      const text = `${process} ${rounded(microseconds)}`;
      const shown = text.length * 6.2 < part ? text : '';
      const drawn = `<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(part)}" height="${fixed(rowHeight * 0.6)}" fill="var(--c${i % colors})"><title>${name}, ${text} µs</title></rect><text class="inside" x="${fixed(x + 4)}" y="${fixed(middle)}" dy="4">${shown}</text>`;
      x += part;
      return drawn;
    });
    const total = `<text x="${fixed(x + 6)}" y="${fixed(middle)}" dy="4">${rounded(sums[row] ?? 0)}</text>`;
    return `<text x="${left - 6}" y="${fixed(middle)}" dy="4" text-anchor="end">${name}</text>${parts.join('')}${total}`;
  });
  return frame('processor time per request in µs, by process', bars.join(''), []);
}

/**
 * Draws how processor time, latency and figures change with the size. Returns one plot per unit, and none if there are
 * fewer than two sizes.
 */
export function growthPlots(measured: readonly Measured[]): string[] {
  const sized = measured.flatMap((each) => (each.size === undefined ? [] : [{ ...each, size: each.size }]));
  const sizes = [...new Set(sized.map(({ size }) => size))].sort((a, b) => a - b);
  if (sizes.length < 2) return [];
  const lines = new Map<string, Map<string, Point[]>>();
  const add = (unit: string, name: string, point: Point) => {
    const series = lines.get(unit) ?? new Map<string, Point[]>();
    series.set(name, [...(series.get(name) ?? []), point]);
    lines.set(unit, series);
  };
  for (const { size, subjects, figures } of sized) {
    for (const { name, cpu, latency } of subjects) {
      if (Object.keys(cpu).length > 0)
        add('µs', `${name}: processor time`, [Math.log10(size), sum(Object.values(cpu))]);
      if (latency) add('ms', `${name}: p50`, [Math.log10(size), latency.p50]);
    }
    for (const { name, value, unit } of figures) add(unit, name, [Math.log10(size), value]);
  }
  const ticks = sizes.map((size): [number, string] => [Math.log10(size), shortNumber(size)]);
  return [...lines].flatMap(([unit, series]) => {
    const several = [...series].filter(([, points]) => points.length > 1);
    const drawn = several.map(([name, points]) => ({ name, points }));
    return several.length === 0 ? [] : [linePlot(`${unit || 'number'} by size`, drawn, ticks)];
  });
}

/** Draws lines over a logarithmic axis of values. */
function linePlot(title: string, series: readonly Series[], ticks: readonly (readonly [number, string])[]): string {
  const values = series.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y > 0);
  if (values.length === 0) return '';
  const [low, high] = [Math.log10(Math.min(...values) / 1.3), Math.log10(Math.max(...values) * 1.3)];
  const ends = ticks.map(([x]) => x);
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  const x = (value: number) => left + (plotWidth * (value - first)) / (last - first || 1);
  const y = (value: number) => top + plotHeight * (1 - (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low));
  const grid = valueTicks(low, high).map(
    (value) =>
      `<line x1="${left}" x2="${width - right}" y1="${fixed(y(value))}" y2="${fixed(y(value))}" stroke="var(--grid)"/><text x="${left - 6}" y="${fixed(y(value))}" dy="4" text-anchor="end">${shortNumber(value)}</text>`,
  );
  const labels = ticks.map(([at, text]) => {
    const anchor = at === last ? 'end' : 'middle';
    return `<text x="${fixed(x(at))}" y="${height - 10}" text-anchor="${anchor}">${text}</text>`;
  });
  const lines = series.map(({ name, points }, i) => {
    const path = points.map((point) => `${fixed(x(point[0]))},${fixed(y(point[1]))}`).join(' ');
    return `<polyline points="${path}" fill="none" stroke="var(--c${i % colors})" stroke-width="2"><title>${name}</title></polyline>`;
  });
  const names = series.map(({ name }) => name);
  return frame(title, grid.join('') + labels.join('') + lines.join(''), names);
}

/** Returns 1, 2 and 5 times each power of ten between two logarithms; only powers of ten if these would be many. */
function valueTicks(low: number, high: number): number[] {
  const steps = high - low > 2.5 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(low); power <= high; power += 1) {
    for (const step of steps) {
      const value = step * 10 ** power;
      if (Math.log10(value) >= low && Math.log10(value) <= high) ticks.push(value);
    }
  }
  return ticks;
}

/** Returns how many nines a percentage has: 0 for 0 %, 1 for 90 %, 2 for 99 %. */
function ninesOf(percent: number): number {
  return -Math.log10(1 - percent / 100);
}

function frame(title: string, content: string, names: readonly string[]): string {
  const rows = names.length > 4 ? 2 : 1;
  const perRow = Math.ceil(names.length / rows);
  const slot = (width - 20) / Math.max(1, perRow);
  const key = names.map((name, i) => {
    const x = 10 + (i % perRow) * slot;
    const y = 22 + Math.floor(i / perRow) * 12;
    const most = Math.floor((slot - 16) / 5.6);
    const text = name.length > most ? `${name.slice(0, Math.max(1, most - 1))}…` : name;
    return `<rect x="${fixed(x)}" y="${y}" width="9" height="9" fill="var(--c${i % colors})"/><text class="key" x="${fixed(x + 13)}" y="${y + 8}">${text}<title>${name}</title></text>`;
  });
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${title}"><text x="10" y="14" class="title">${title}</text>${key.join('')}${content}</svg>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number): string {
  return value < 20 ? value.toFixed(1) : Math.round(value).toLocaleString('en-GB');
}

function shortNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
}

function fixed(value: number): string {
  return value.toFixed(1);
}
