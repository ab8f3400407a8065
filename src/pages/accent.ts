/**
 * Adjusts the accent color of a repository's pages, so that links in this color can be read on light and dark paper.
 */
import { palettes, type Scheme } from './tokens.ts';

/** Minimum contrast of text in the accent color (WCAG 2.2, level AA). */
const minContrast = 4.5;
const steps = 64;
/** A color as red, green and blue, each from 0 to 255. */
type Rgb = readonly [number, number, number];

/** Matches the address part of an accent color: six hexadecimal digits. */
const hexDigits = /^[0-9a-f]{6}$/;

/**
 * Returns the six hexadecimal digits of a color such as `#0b57b7` or `#05b`, for the address of the stylesheet.
 * Returns undefined for any other text.
 */
export function accentDigits(colour: string): string | undefined {
  const digits = colour.slice(1).toLowerCase();
  const whole = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return colour.startsWith('#') && hexDigits.test(whole) ? whole : undefined;
}

/**
 * Returns the rules that set the accent color, for the end of the stylesheet. Paper that is printed keeps black links. Returns
 * an empty text for digits that are not a color.
 */
export function accentRules(digits: string | null): string {
  if (digits === null || !hexDigits.test(digits)) return '';
  return `@media screen { :root { --accent: ${readableAccent(digits, 'light')}; } }
@media screen and (prefers-color-scheme: dark) { :root { --accent: ${readableAccent(digits, 'dark')}; } }
`;
}

/**
 * Returns the color that is shown for an accent color. If its contrast on the paper or on shaded parts is below 4.5, it
 * is mixed with black on light paper and with white on dark paper, by the smallest sufficient share in steps of 1/64.
 * Example: on light paper, the yellow `ffd400` becomes a dark yellow, and `0b57b7` stays as it is.
 */
export function readableAccent(digits: string, scheme: Scheme): string {
  const { paper, shade } = palettes[scheme];
  const colour = rgbOf(digits);
  const end = scheme === 'light' ? 0 : 255;
  for (let step = 0; step < steps; step++) {
    const mixed = hexOf(colour.map((part) => part + ((end - part) * step) / steps));
    if (contrastOf(mixed, paper) >= minContrast && contrastOf(mixed, shade) >= minContrast) return mixed;
  }
  return hexOf([end, end, end]);
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). Both are written like `#0b57b7`. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(rgbOf(one.slice(1))), luminance(rgbOf(other.slice(1)))].sort(
    (a, b) => a - b,
  );
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rgbOf(digits: string): Rgb {
  const part = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

function hexOf(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}
