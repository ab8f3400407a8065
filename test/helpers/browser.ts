/** Opens the system's Chromium, audits pages with axe-core, and measures the contrast of text. */
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterwards } from './cleanup.ts';

const { findChromium } = await import(new URL('../../../scripts/setup/chromium.mjs', import.meta.url).href);
const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Timeout for the browser in milliseconds. The default of the browser library, 30 seconds, is too short on a busy
 * machine.
 */
const maxWaitMs = 120_000;

/** Starts a browser; it is closed when the test ends. */
export async function openBrowser(t: TestContext, executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: maxWaitMs });
  afterwards(t, () => browser.close());
  return browser;
}

/** Opens a separate browser context; it is closed when the test ends. */
export async function openContext(
  t: TestContext,
  browser: Browser,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(maxWaitMs);
  afterwards(t, () => context.close());
  return context;
}

/** Returns the path of a Chromium that can be started; undefined when no such Chromium is installed. */
export function chromiumPath(): string | undefined {
  return findChromium();
}

/** Audits a part of a page with axe-core. Returns the serious and critical findings with their elements. */
export async function auditPage(page: Page, part = 'html'): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(`axe.run(${JSON.stringify(part)}).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) => [id, html, ...[...any, ...all, ...none].map((check) => check.message)].join(' | '))))`);
}

/**
 * Returns the contrast ratio, from 1 to 21, of the text in the first element that matches a selector. The background is
 * the color of the nearest element that paints a background: the element itself or an ancestor.
 */
export async function contrast(page: Page, selector = 'body'): Promise<number> {
  const colours = (await page.evaluate(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const ink = getComputedStyle(element).color;
    for (let at = element; at; at = at.parentElement) {
      const paper = getComputedStyle(at).backgroundColor;
      if (!/^rgba\\(.*, 0(\\.\\d+)?\\)$/.test(paper)) return [ink, paper];
    }
    return [ink, 'rgb(255, 255, 255)'];
  })()`)) as string[];
  const [dark = 0, light = 0] = colours.map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
