/**
 * Contains the stylesheet of all pages. It follows the light or dark mode of the reader's system. Its layout is one
 * column that also fits a phone.
 */
import { digestOf } from '../foundation/etag.ts';
import { tokens } from './tokens.ts';

export const style = `${tokens}* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto;
  padding: 2rem 1.25rem 3rem;
  max-width: 46rem;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.6 var(--font);
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, h5, h6 { margin: 2rem 0 0.5rem; line-height: 1.25; text-wrap: balance; }
h1 { margin-top: 0; font-size: 2rem; }
h2 { font-size: 1.375rem; }
h3 { font-size: 1.125rem; }
h4, h5, h6 { font-size: 1rem; }
p, ul, ol, dl, blockquote, pre, table { margin: 0 0 1rem; }
ul, ol { padding-left: 1.5rem; }
li { margin: 0.25rem 0; }
li > ul, li > ol { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--shade); font: 0.875em/1.5 var(--mono); }
pre { padding: 0.875rem 1rem; border-radius: 6px; background: var(--shade); overflow-x: auto; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
dt { font-weight: 600; }
dd { margin: 0 0 0.5rem; }
blockquote { padding-left: 1rem; border-left: 3px solid var(--line); color: var(--faint); }
table { display: block; border-collapse: collapse; overflow-x: auto; }
th, td { padding: 0.375rem 0.75rem; border: 1px solid var(--line); text-align: left; overflow-wrap: normal; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
.date { color: var(--faint); font-size: 0.9375rem; }
.home { font-size: 0.9375rem; }
.versions { padding: 0; list-style: none; }
.versions > li { padding: 1.25rem 0 0.25rem; border-top: 1px solid var(--line); }
.versions h2 { margin: 0; }
.versions .date { margin-bottom: 0.5rem; }
nav { display: flex; justify-content: space-between; gap: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--faint); font-size: 0.875rem; }
`;

/** Version of the stylesheet. The stylesheet's address contains this version, so browsers may cache it permanently. */
export const styleVersion = digestOf(style).slice(0, 8);
