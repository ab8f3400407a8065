/**
 * Reads the boxes that a template of a pull request offers under a heading such as "Type of change", and of which the
 * author ticks one or more.
 */
import type { ChangeType } from './labels.ts';
import { visibleProse } from './scan.ts';

/** The kinds that the ticked boxes name. `inside` is work on the project itself. */
export interface TickedBoxes {
  types: ReadonlySet<ChangeType>;
  inside: boolean;
}

const heading =
  /\b(?:types? of (?:the )?(?:change|pr|pull request|contribution)s?|(?:kind|nature|category) of (?:the )?(?:change|pr)s?|change types?|pr types?|what (?:type|kind)s? of)\b/i;
const box = /^\s*(?:(?:[-*+]|\d{1,3}[.)])\s*)?\[([ xX✓✔])\]\s*(\S.{1,199})$/;
/** Matches a line that may end a list of boxes: a heading or a line in bold. */
const nextHeading = /^(?:#{1,6}[ \t]|\*\*[^*]{1,100}\*\*:?\s*$)/;
/** A template without any unticked box, and with more boxes than this, was ticked as a whole and says nothing. */
const mostTicked = 3;
const hint = /\[[xX✓✔]\]/;

const meanings: readonly (readonly [ChangeType | 'inside', RegExp])[] = [
  ['breaking', /^breaking\b/i],
  ['documentation', /^(?:docs?|documentation|readme|(?:this change requires a )?documentation update|typo)\b/i],
  ['security', /^security\b/i],
  ['performance', /^(?:perf|performance|optimi[sz]ation)\b/i],
  ['feature', /^(?:new )?(?:features?|functionality|enhancements?|improvements?|component|integration)\b|^feat\b/i],
  ['fix', /^(?:bug ?fix(?:es)?|bug|fix(?:es)?|hot ?fix|bugfix|regression)\b/i],
  [
    'inside',
    /^(?:refactor(?:ing)?|code (?:style|refactor|quality|cleanup|maintenance)|chore|maintenance|tests?|testing|ci|build|cleanup|internal|tooling|(?:build|ci)[- ]related|style|formatting)\b/i,
  ],
];

/** Returns the kinds of the ticked boxes. Returns undefined if no box with a known kind is ticked. */
export function tickedBoxes(body: string): TickedBoxes | undefined {
  if (!hint.test(body)) return undefined;
  const types = new Set<ChangeType>();
  let isInside = false;
  let ticked = 0;
  let open = 0;
  let isUnderHeading = false;
  for (const line of visibleProse(body).split('\n')) {
    const [, mark, text = ''] = box.exec(line) ?? [];
    if (mark === undefined) {
      if (heading.test(line) && line.length < 200) isUnderHeading = true;
      else if (nextHeading.test(line)) isUnderHeading = false;
      continue;
    }
    if (!isUnderHeading) continue;
    if (mark === ' ') open += 1;
    else {
      ticked += 1;
      const meaning = meaningOfBox(text);
      if (meaning === 'inside') isInside = true;
      else if (meaning) types.add(meaning);
    }
  }
  if ((open === 0 && ticked > mostTicked) || (types.size === 0 && !isInside)) return undefined;
  return { types, inside: isInside };
}

/** Returns the meaning of a box, such as `🐛 Bug fix (non-breaking change which fixes an issue)`. */
function meaningOfBox(text: string): ChangeType | 'inside' | undefined {
  const words = text.replace(/:[a-z0-9_+-]{2,40}:/gi, ' ').replace(/^[^\p{L}]+/u, '');
  return meanings.find(([, pattern]) => pattern.test(words))?.[0];
}
