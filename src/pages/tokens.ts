/**
 * Contains the colors, spaces and fonts of all pages, as custom properties. Light or dark follows the reader's system.
 */

/** Light or dark, as the reader's system prefers. */
export type Scheme = 'light' | 'dark';

/** Colors of one scheme. The names are those of the custom properties. */
interface Palette {
  paper: string;
  ink: string;
  faint: string;
  line: string;
  shade: string;
  accent: string;
  green: string;
  amber: string;
  red: string;
}

/**
 * The colors of both schemes. Each color of text has a contrast of at least 4.5 on `paper`. All of them but amber also
 * have this contrast on `shade`. Green, amber and red never carry a meaning alone: a word or an icon is next to them.
 */
export const palettes: Readonly<Record<Scheme, Palette>> = {
  light: {
    paper: '#ffffff',
    ink: '#1c2024',
    faint: '#5b636d',
    line: '#d9dee3',
    shade: '#f4f6f8',
    accent: '#0b57b7',
    green: '#1a7f37',
    amber: '#9a6700',
    red: '#cf222e',
  },
  dark: {
    paper: '#14171a',
    ink: '#e4e7eb',
    faint: '#9aa4af',
    line: '#333a41',
    shade: '#1e2328',
    accent: '#7db4ff',
    green: '#3fb950',
    amber: '#d29922',
    red: '#ff7b72',
  },
};

/** The custom properties as CSS. A stylesheet of pages begins with this text. */
export const tokens = `:root {
  color-scheme: light dark;
${declarations(palettes.light, '  ')}
  --radius: 8px;
  --space-1: 4px;
  --space-2: 8px;
  --space-3: 12px;
  --space-4: 16px;
  --space-5: 24px;
  --space-6: 32px;
  --font-size: 0.9375rem;
  --line-height: 1.5;
  --font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  --mono: ui-monospace, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
${declarations(palettes.dark, '    ')}
  }
}
`;

function declarations(palette: Palette, indent: string): string {
  return Object.entries(palette)
    .map(([name, colour]) => `${indent}--${name}: ${colour};`)
    .join('\n');
}
