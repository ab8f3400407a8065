/**
 * Contains the stylesheet of all pages. It follows the light or dark mode of the reader's system. Its layout is one
 * column that also fits a phone.
 */
import { digestOf } from '../foundation/etag.ts';
import { accentRules } from './accent.ts';
import { tokens } from './tokens.ts';

export const style = `${tokens}* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: var(--space-4); }
body {
  margin: 0 auto;
  padding: var(--space-6) 1.25rem 3rem;
  max-width: 46rem;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.6 var(--font);
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, h5, h6 { margin: var(--space-6) 0 var(--space-2); line-height: 1.25; text-wrap: balance; }
h1 { margin-top: 0; font-size: 2rem; }
h2 { font-size: 1.375rem; }
h3 { font-size: 1.125rem; }
h4, h5, h6 { font-size: 1rem; }
p, ul, ol, dl, blockquote, pre, table { margin: 0 0 var(--space-4); }
ul, ol { padding-left: var(--space-5); }
li { margin: var(--space-1) 0; }
li > ul, li > ol { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a, span, strong, code { unicode-bidi: isolate; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--shade); font: 0.875em/1.5 var(--mono); }
pre { padding: 0.875rem var(--space-4); border-radius: var(--radius); background: var(--shade); overflow-x: auto; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
dt { font-weight: 600; }
dd { margin: 0 0 var(--space-2); }
blockquote { padding-left: var(--space-4); border-left: 3px solid var(--line); color: var(--faint); }
table { display: block; border-collapse: collapse; overflow-x: auto; }
th, td { padding: 0.375rem var(--space-3); border: 1px solid var(--line); text-align: left; overflow-wrap: normal; }
hr { border: 0; border-top: 1px solid var(--line); margin: var(--space-6) 0; }
.date, .home, .subscribe { color: var(--faint); font-size: var(--font-size); }
.home { margin-bottom: var(--space-5); }
.home a { display: inline-flex; align-items: center; gap: var(--space-2); min-height: 24px; }
.none { color: var(--faint); }
.logo { width: auto; height: 1.75rem; max-width: 8rem; object-fit: contain; }
h1:has(> .logo) { display: flex; align-items: center; gap: var(--space-3); }
h1 .logo { flex: none; height: 2.5rem; max-width: 8rem; }
.heading { display: flex; align-items: baseline; gap: var(--space-1); margin: var(--space-6) 0 var(--space-2); }
.heading > * { margin: 0; }
.heading > :first-child { min-width: 0; }
.heading > .anchor { flex: none; min-width: 24px; min-height: 24px; color: var(--faint); text-align: center; text-decoration: none; opacity: 0; }
.heading:hover > .anchor, .heading > .anchor:focus-visible { opacity: 1; }
@media (hover: none) { .heading > .anchor { opacity: 1; } }
:target { text-decoration: underline; text-decoration-color: var(--line); text-decoration-thickness: 3px; text-underline-offset: 0.25em; }
.meta { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-1) var(--space-3); margin: 0 0 var(--space-3); }
.meta > .date { margin: 0; }
.marks { display: flex; flex-wrap: wrap; gap: var(--space-2); margin: 0; padding: 0; list-style: none; }
.marks > li { margin: 0; }
.mark {
  display: inline-flex;
  align-items: center;
  min-height: 24px;
  padding: 0 0.625rem;
  border: 1px solid;
  border-radius: 12px;
  color: var(--faint);
  font-size: 0.8125rem;
  font-weight: 600;
  line-height: 1;
  text-decoration: none;
}
a.mark:hover { text-decoration: underline; }
.mark.breaking { color: var(--red); }
.mark.security { color: var(--amber); }
.mark.new { color: var(--green); }
.mark.improved { color: var(--accent); }
.versions { padding: 0; list-style: none; }
.versions > li { margin: 0; padding: var(--space-5) 0 var(--space-2); border-top: 1px solid var(--line); }
.versions h2 { margin: 0; }
.versions > li > .date, .versions .meta { margin-bottom: var(--space-2); }
.versions h2 a { text-decoration: none; }
.versions h2 a:hover { text-decoration: underline; }
.repositories { padding: 0; border-bottom: 1px solid var(--line); list-style: none; }
.repositories > li {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  justify-content: space-between;
  gap: 0 var(--space-4);
  margin: 0;
  padding: var(--space-3) 0;
  border-top: 1px solid var(--line);
}
article > :first-child { margin-top: 0; }
article > header { margin-bottom: var(--space-5); }
article > header > :last-child { margin-bottom: 0; }
.search { display: flex; flex-wrap: wrap; gap: var(--space-2); margin: 0 0 var(--space-5); }
.search label { flex: 100%; color: var(--faint); font-size: var(--font-size); }
.search input, .search button {
  min-height: 40px;
  padding: 0 var(--space-3);
  border: 1px solid var(--faint);
  border-radius: var(--radius);
  background: var(--paper);
  color: var(--ink);
  font: inherit;
}
.search input { flex: 1; min-width: 0; }
.search button { background: var(--shade); cursor: pointer; }
.search button:hover { border-color: var(--accent); }
nav { display: flex; flex-wrap: wrap; justify-content: space-between; gap: var(--space-2) var(--space-4); padding-top: var(--space-4); border-top: 1px solid var(--line); }
.turns { margin-top: var(--space-6); }
.turns a { min-width: 0; max-width: 100%; }
.turns a[rel='next']:last-child { margin-left: auto; text-align: right; }
footer { margin-top: var(--space-6); padding-top: var(--space-4); border-top: 1px solid var(--line); }
footer p { margin: 0; }
main:has(> .turns) + footer { margin-top: var(--space-2); padding-top: 0; border: 0; }
.embed { padding: var(--space-4); font-size: var(--font-size); line-height: var(--line-height); }
.embed h1 { font-size: 1.125rem; }
.embed h1 .logo { height: 1.5rem; }
.embed .versions > li { padding: var(--space-3) 0 0; }
.embed .versions h2 { font-size: 1rem; }
.embed .versions p, .embed .versions .meta { margin-bottom: var(--space-2); }
@media (max-width: 30rem) {
  h1 { font-size: 1.625rem; }
  h2 { font-size: 1.25rem; }
}
@media (prefers-reduced-motion: no-preference) { .heading > .anchor { transition: opacity 120ms; } }
@media print {
  :root {
    color-scheme: light;
    --paper: #ffffff;
    --ink: #000000;
    --faint: #444444;
    --line: #bbbbbb;
    --shade: #ffffff;
    --accent: #000000;
    --green: #000000;
    --amber: #000000;
    --red: #000000;
  }
  body { max-width: none; padding: 0; font-size: 11pt; }
  .search, .turns, .subscribe, .heading > .anchor, footer { display: none; }
  .heading, h1, h2, h3 { break-after: avoid; }
  li, pre, tr, blockquote { break-inside: avoid; }
  article a[href^='http']::after { content: ' (' attr(href) ')'; font-size: 0.875em; }
}
`;

/**
 * Version of the stylesheet. The stylesheet's address contains this version, so browsers may cache it permanently. The
 * version also changes when accent colors are adjusted in another way.
 */
export const styleVersion = digestOf(style + accentRules('808080')).slice(0, 8);
