/** Decides whether a change only concerns the developers of a project, although its prefix calls it a fix or feature. */
import { isNamedUpdate, isUpdate } from '../change/dependencies.ts';
import { isDocumentText, isToolingText } from '../change/leading-words.ts';
import { sharedMeaning } from '../change/scopes.ts';
import { parseTitle } from '../change/title.ts';
import type { Entry } from './entries.ts';

/**
 * Whether a change only updates a dependency, or is only about tests, CI or documentation: `fix: flaky unit test`, or
 * any change with the area `ci`. A label, command or release note that names the kind is trusted more than such words.
 * Breaking changes and security updates concern everyone.
 */
export function isForDevelopers({ section, breaking, note, areas, text, kindBy }: Entry): boolean {
  if (breaking || section === 'security' || note) return false;
  if (sharedMeaning(areas) !== undefined) return true;
  if (kindBy === 'label' || kindBy === 'command') return false;
  const isGuessed = kindBy === 'verb' || kindBy === null;
  return isToolingText(text) || isDocumentText(text) || (isGuessed ? isUpdate(text) : isNamedUpdate(text));
}

/** Whether the title of a change shows that it only concerns the developers of the project, such as `chore: upgrade x`. */
export function isTitleForDevelopers(title: string): boolean {
  const { text, areas, type, housekeeping } = parseTitle(title);
  if (sharedMeaning(areas) !== undefined || isToolingText(text) || isDocumentText(text)) return true;
  return type === 'documentation' || (type === null && housekeeping);
}
