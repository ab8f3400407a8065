/** Saves what can be saved before a session ends. */
import { saveTexts } from './draft-text.ts';
import { unsaved } from './unsaved.ts';

/** Time that texts have to be saved before the question comes up, in milliseconds. */
const saveMs = 5_000;

/** Saves what can be saved. Returns whether everything is saved. */
export async function isAllSaved(): Promise<boolean> {
  await Promise.race([saveTexts(), new Promise((resolve) => setTimeout(resolve, saveMs))]);
  return unsaved.peek().length === 0;
}
