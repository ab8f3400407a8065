/**
 * Serves `GET /docs/guide`: the guide to the API (`docs/api.md`) as a page, in the style of the pages of notes. The
 * page is made once when the service starts.
 */
import { readFileSync } from 'node:fs';
import MarkdownIt, { type Token } from 'markdown-it';
import { escapeHtml } from '../foundation/escape-html.ts';
import { Asset } from '../http/asset.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import { head } from './html.ts';
import { pagePolicy } from './policy.ts';
import { styleVersion } from './style.ts';

/** Path of the page. */
export const guidePath = '/docs/guide';

/** Style rules of the guide, in addition to the style of the pages of notes. */
const guideStyle = `nav.contents { display: block; padding: 0; border: 0; }
nav.documents { margin-bottom: 2rem; padding: 0 0 1rem; border: 0; border-bottom: 1px solid var(--line); justify-content: start; }
:is(h1, h2, h3, h4) .anchor { margin-left: 0.4em; color: var(--faint); font-size: 0.8em; text-decoration: none; }
table { max-width: 100%; }
`;

/** A rule renders the token at index `i` as HTML. */
type Rule = (tokens: readonly Token[], i: number) => string;

interface Heading {
  level: number;
  title: string;
  slug: string;
}

/** Returns the routes of the page and its style. */
export function guideRoutes(): HttpRoute[] {
  const css = new Asset('text/css; charset=utf-8', guideStyle, pageHeaders(pagePolicy));
  const page = new Asset('text/html; charset=utf-8', guidePage(readGuide(), css.version), pageHeaders(pagePolicy));
  return [page.route(guidePath), css.route('/docs/guide.css')];
}

/**
 * Reads `docs/api.md`. The folder `docs` is next to the build folder in a checkout, in the image and in the packed
 * package.
 */
function readGuide(): string {
  return readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
}

/**
 * Renders the guide as a page. Addresses on the page are relative, so that a proxy may serve the page below another
 * path.
 */
export function guidePage(text: string, version: string): string {
  const markdown = new MarkdownIt({ html: false });
  const tokens = markdown.parse(text, {});
  const headings = headingsOf(tokens);
  Object.assign(markdown.renderer.rules, rulesFor(headings));
  const render = (part: Token[]): string => markdown.renderer.render(part, markdown.options, {});
  const [start, end] = listOfContents(tokens);
  const title = [...headings.values()].find(({ level }) => level === 1)?.title ?? 'API';
  return `${head('en', [
    `<title>Guide: ${escapeHtml(title)} · Tidings</title>`,
    `<link rel="stylesheet" href="../notes/style.css?v=${styleVersion}">`,
    `<link rel="stylesheet" href="guide.css?v=${version}">`,
  ])}
<nav class="documents" aria-label="Documents">
<a href="../docs">Reference</a>
<a href="../api/openapi.json">OpenAPI document</a>
<a href="../sdk/tidings-client.tgz">Client package</a>
</nav>
<main>
${render(tokens.slice(0, start))}${contentsOf([...headings.values()])}${render(tokens.slice(end))}</main>
</body>
</html>
`;
}

/**
 * Returns the headings by their opening token. Anchors are made as code hosts make them, so that links between sections
 * work on the page and on a code host.
 */
function headingsOf(tokens: readonly Token[]): Map<Token, Heading> {
  const used = new Map<string, number>();
  return new Map(
    tokens.flatMap((token, i): [Token, Heading][] => {
      if (token.type !== 'heading_open') return [];
      const title = (tokens[i + 1]?.children ?? []).map(({ content }) => content).join('');
      const name = title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-');
      const before = used.get(name) ?? 0;
      used.set(name, before + 1);
      return [[token, { level: Number(token.tag.slice(1)), title, slug: before === 0 ? name : `${name}-${before}` }]];
    }),
  );
}

/**
 * Makes the rules for elements whose default HTML does not suffice. Headings get an anchor. Tables and code can be
 * scrolled by keyboard. Links to files that are not served become plain text.
 */
function rulesFor(headings: ReadonlyMap<Token, Heading>): Record<string, Rule> {
  let open: Heading | undefined;
  const links: boolean[] = [];
  return {
    heading_open: (tokens, i) => {
      open = headings.get(tokens[i] as Token);
      return `<${tokens[i]?.tag} id="${escapeHtml(open?.slug ?? '')}">`;
    },
    heading_close: (tokens, i) => {
      const { slug = '', title = '' } = open ?? {};
      const anchor = `<a class="anchor" href="#${escapeHtml(slug)}" aria-label="Link to ${escapeHtml(title)}">#</a>`;
      return `${anchor}</${tokens[i]?.tag}>\n`;
    },
    fence: (tokens, i) => `<pre tabindex="0"><code>${escapeHtml(tokens[i]?.content ?? '')}</code></pre>\n`,
    table_open: () => '<table tabindex="0">\n',
    // Omits the alignment of columns: it would be a style attribute, which the Content-Security-Policy forbids.
    th_open: () => '<th>',
    td_open: () => '<td>',
    link_open: (tokens, i) => {
      const href = String(tokens[i]?.attrGet('href') ?? '');
      const isServed = /^(#|https?:\/\/)/.test(href);
      links.push(isServed);
      return isServed ? `<a href="${escapeHtml(href)}">` : '';
    },
    link_close: () => (links.pop() ? '</a>' : ''),
  };
}

/** Returns the token indexes of the table of contents: the start and the end of the list before the first section. */
function listOfContents(tokens: readonly Token[]): [start: number, end: number] {
  const first = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h2');
  const isOuter = (type: string) => (token: Token, i: number) => token.type === type && token.level === 0 && i < first;
  const start = tokens.findIndex(isOuter('bullet_list_open'));
  return start < 0 ? [first, first] : [start, tokens.findIndex(isOuter('bullet_list_close')) + 1];
}

/** Renders the table of contents: headings of level 2, each with its headings of level 3. */
function contentsOf(headings: readonly Heading[]): string {
  const items: string[] = [];
  let depth = 2;
  for (const { level, title, slug } of headings.filter((heading) => heading.level === 2 || heading.level === 3)) {
    if (level > depth) items.push('<ul>\n');
    else if (items.length > 0) items.push(level < depth ? '</li>\n</ul>\n</li>\n' : '</li>\n');
    items.push(`<li><a href="#${escapeHtml(slug)}">${escapeHtml(title)}</a>`);
    depth = level;
  }
  const end = depth === 3 ? '</li>\n</ul>\n</li>\n' : '</li>\n';
  return `<nav class="contents" aria-label="Contents">\n<ul>\n${items.join('')}${end}</ul>\n</nav>\n`;
}
