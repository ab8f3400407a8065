/** Lists the house styles whose drafts are reviewed. */
import { brackets } from './brackets.ts';
import { cherryPicks } from './cherry-picks.ts';
import { conventional } from './conventional.ts';
import { emoji } from './emoji.ts';
import { emptyInside, emptyRange, emptyUndecided } from './empty.ts';
import { firstRelease } from './first-release.ts';
import { languages } from './languages.ts';
import { noteFences } from './note-fences.ts';
import { noteHeadings } from './note-headings.ts';
import { noteLabels } from './note-labels.ts';
import { scopes } from './scopes.ts';
import { security } from './security.ts';
import { sentences } from './sentences.ts';
import { squashes } from './squashes.ts';
import type { Style } from './style.ts';

export const styles: readonly Style[] = [
  conventional,
  brackets,
  emoji,
  sentences,
  noteFences,
  noteLabels,
  noteHeadings,
  scopes,
  squashes,
  cherryPicks,
  security,
  languages,
  firstRelease,
  emptyRange,
  emptyInside,
  emptyUndecided,
];
