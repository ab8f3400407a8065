/** Completes the text of a fix that only names the thing that was repaired. */
import { isPlainWord } from './plain-words.ts';
import type { ParsedTitle } from './title.ts';

/** Matches a first word that is surely a name: it has a capital letter, a digit or a sign inside, or it is code. */
const startsWithName = /^(?:`[^`]+`|[\w@]*(?:\w\p{Lu}|[\w)]\(|\w[._/]\w|_|\d|\.\w)[^\s:]*)(?= )/u;
/** Matches words of a clause, such as `is` in `acme.Run is slow`. A clause says what was wrong, or what is right now. */
const clauseWord =
  /(?<![\w./`-])(?:be|been|had|do|did|can|cannot|could|will|would|should|must|may|were|are|have|not|never|no|when|while|if|after|before|because|so|that|which|fail(?:ed|ing|ures?)?|crash(?:ed|ing)?|panic(?:ked|king)?|hang(?:ing)?|hung|throw(?:n|ing)?|return(?:ed|ing)?|leak(?:ed|ing)?|break(?:ing)?|broken|caus(?:ed|ing)|lost|losing|missed|missing|ignor(?:ed|ing)|get|getting|show(?:n|ing)?|used|using|now|always|only|also|instead|wrong|incorrect|invalid|duplicated?|bug|error|exception|race|deadlock|regression|typo)(?![\w/`-])|n['’]t\b/i;
/** Matches a word that may be a verb in the third person: `crashes`. Plural nouns match as well. */
const maybeVerb = / \w*[a-rt-z]s(?= |$)/i;
/** A longer text usually is a clause. */
const maxWords = 7;

/**
 * Returns the text of a change. If the prefix calls it a fix and the text only names a thing, "Fix" is put before it:
 * `fix: addRoute type signature` becomes `Fix addRoute type signature`. In doubt, the text stays as it was written. Only
 * English is recognized.
 */
export function fixText({ type, dependency, text }: ParsedTitle): string {
  return type === 'fix' && !dependency && isThing(text) ? `Fix ${text}` : text;
}

function isThing(text: string): boolean {
  const name = startsWithName.exec(text)?.[0];
  if (name === undefined || /: |[^ -~]/.test(text) || text.split(' ').length > maxWords) return false;
  return !isCommand(name) && !clauseWord.test(text) && !maybeVerb.test(text);
}

/** Whether a word is made of plain words, and so may be a verb: `add/remove`, `HTML-escape`, `UPDATE`. */
function isCommand(name: string): boolean {
  return name.split('/').every((word) => isPlainWord((word.split('-').at(-1) ?? '').toLowerCase()));
}
