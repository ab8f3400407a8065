/**
 * Draws two plots as SVG text: requests per second by round, and latency percentiles. The page defines the colors.
 */
import type { Percentiles, Side } from './figures.ts';

const width = 460;
const height = 240;
const left = 60;
const right = 12;
const top = 24;
const bottom = 30;

const plotHeight = height - top - bottom;
const plotWidth = width - left - right;

/**
 * Draws two bars side by side for every round: one for the floor and one for the service. `line` is the smallest ratio
 * that passes. If `line` is not null, a dashed line shows the rate that the service must reach.
 */
export function roundsPlot(service: Side, floor: Side, line: number | null): string {
  const highest = Math.max(service.requestsPerSecond.max, floor.requestsPerSecond.max) || 1;
  const y = (value: number) => top + plotHeight * (1 - value / (highest * 1.1));
  const slot = plotWidth / floor.requestsPerSecond.rounds.length;
  const bar = (round: number, offset: number, value: number, name: string) =>
    `<rect x="${fixed(left + round * slot + slot * offset)}" y="${fixed(y(value))}" width="${fixed(slot * 0.32)}" height="${fixed(y(0) - y(value))}" fill="var(--${name})"><title>${name}, round ${round + 1}: ${Math.round(value)} per second</title></rect>`;
  const bars = floor.requestsPerSecond.rounds.map((value, round) => {
    const own = service.requestsPerSecond.rounds[round] ?? 0;
    const label = `<text x="${fixed(left + (round + 0.5) * slot)}" y="${height - 10}" text-anchor="middle">round ${round + 1}</text>`;
    return bar(round, 0.16, value, 'floor') + bar(round, 0.52, own, 'service') + label;
  });
  const wanted = y(floor.requestsPerSecond.median * (line ?? 0));
  const mark = `<line x1="${left}" x2="${width - right}" y1="${fixed(wanted)}" y2="${fixed(wanted)}" stroke="var(--bad)" stroke-dasharray="4 3"/>`;
  const drawn = scale(y, [0, highest / 2, highest]) + bars.join('');
  if (line === null) return frame('requests per second', drawn);
  return frame('requests per second; dashed: the line', drawn + mark);
}

/** Draws the latency by percentile, on a logarithmic scale. */
export function curve(sides: Record<'service' | 'floor', Percentiles>): string {
  const values = Object.values(sides).flatMap((percentiles) => Object.values(percentiles) as number[]);
  const low = Math.log10(Math.max(0.01, Math.min(...values)) / 1.5);
  const high = Math.log10(Math.max(0.1, ...values) * 1.5);
  const y = (ms: number) => top + plotHeight * (1 - (Math.log10(Math.max(0.01, ms)) - low) / (high - low));
  const names = ['p50', 'p97.5', 'p99', 'p99.9', 'max'];
  const x = (index: number) => left + (plotWidth * (index + 0.5)) / names.length;
  const lines = Object.entries(sides).map(([name, percentiles]) => {
    const points = Object.values(percentiles).map((ms: number, i) => `${fixed(x(i))},${fixed(y(ms))}`);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="var(--${name})" stroke-width="2"/>`;
  });
  const labels = names.map(
    (name, i) => `<text x="${fixed(x(i))}" y="${height - 10}" text-anchor="middle">${name}</text>`,
  );
  const ticks = [0.1, 1, 10, 100, 1000].filter((ms) => Math.log10(ms) > low && Math.log10(ms) < high);
  return frame('latency in ms', scale(y, ticks) + lines.join('') + labels.join(''));
}

function scale(y: (value: number) => number, values: readonly number[]): string {
  return values
    .map((value) => {
      const at = fixed(y(value));
      const text = value >= 1000 ? Math.round(value).toLocaleString('en-GB') : String(Math.round(value * 100) / 100);
      return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="var(--grid)"/><text x="${left - 6}" y="${at}" dy="4" text-anchor="end">${text}</text>`;
    })
    .join('');
}

function frame(title: string, content: string): string {
  const key = ['service', 'floor'].map(
    (name, i) =>
      `<rect x="${width - 150 + i * 76}" y="6" width="10" height="10" fill="var(--${name})"/><text x="${width - 136 + i * 76}" y="15">${name}</text>`,
  );
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" role="img"><text x="${left}" y="15">${title}</text>${key.join('')}${content}</svg>`;
}

function fixed(value: number): string {
  return value.toFixed(1);
}
