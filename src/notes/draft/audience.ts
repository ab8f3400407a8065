/** Decides whether a change only concerns the developers of a project, although its prefix calls it a fix or feature. */
import { isToolingText } from '../change/leading-words.ts';
import { sharedMeaning } from '../change/scopes.ts';
import type { Entry } from './entries.ts';

/**
 * Whether a change is about tests, CI or documentation only: `fix: flaky unit test`, or any change with the area `ci`.
 * A label or a release note that names the kind is trusted more than such words. Breaking changes and security updates
 * concern everyone.
 */
export function isForDevelopers({ section, breaking, note, areas, text, kindBy }: Entry): boolean {
  if (breaking || section === 'security' || note) return false;
  return sharedMeaning(areas) !== undefined || (kindBy !== 'label' && isToolingText(text));
}
