/**
 * Guesses the kind of a change from the words of its title, after all prefixes are removed. Only the leading verb is
 * read, because elsewhere in a title the same words are misleading too often. Words for tests, CI and documentation are
 * read anywhere in the title, because `Add unit tests` is not a feature.
 */

/** The kinds that the words of a title can show. `inside` is work on the project itself. */
export type WordKind = 'feature' | 'fix' | 'performance' | 'documentation' | 'inside';

const flaw =
  'crash|panic|error|failure|exception|null|nil|undefined|empty|missing|invalid|malformed|race|deadlock|overflow|timeout|edge case|corner case';
const fix = new RegExp(
  `^(?:(?:hot|bug)?-?fix(?:e[sd]|ing)?|prevent(?:s|ed|ing)?|correct(?:s|ed|ing|ly)?|resolv(?:e[sd]?|ing)|avoid(?:s|ed|ing)?|stop(?:s|ped|ping)?|add(?:s|ed|ing)? (?:the |a )?missing|handl(?:e[sd]?|ing) (?:[\\w-]+ ){0,4}(?:${flaw})\\w*|do(?:es)?(?: not|n['’]t)(?! use)|never|no longer|work ?around|guard against|repair(?:s|ed)?|regression|crash)\\b`,
  'i',
);
/** Names of faults. A title that names a fault and adds nothing repairs it, as in `Memory leak in the parser`. */
const fault =
  /\b(?:(?:memory|goroutine|thread|resource|connection|file descriptor) leaks?|data races?|race conditions?|deadlocks?|panics?|segfaults?|segmentation faults?|(?:nil|null)[- ]pointers?|use[- ]after[- ]free|infinite (?:loop|recursion)|unhandled (?:rejection|exception)s?|crash(?:es|ed)?)\b/i;
const feature =
  /^(?:add(?:s|ed|ing)?|support(?:s|ed|ing)?|allow(?:s|ed|ing)?|introduc(?:e[sd]?|ing)|implement(?:s|ed|ing)?|expos(?:e[sd]?|ing)|enabl(?:e[sd]?|ing)|(?:initial|basic|experimental|optional|native|new) support)\b/i;
const performance =
  /^(?:speed(?:s|ed|ing)?[- ]?up|optimi[sz](?:e[sd]?|ing)|(?:improv|increas|boost)(?:e[sd]?|ing)? (?:the )?(?:[\w-]+ ){0,3}(?:performance|speed|throughput|latency)|(?:reduc|decreas|lower|minimi[sz]|avoid|eliminat)(?:e[sd]?|s|ed|ing)? (?:the )?(?:[\w-]+ ){0,3}(?:allocations?|allocs?|latency|memory|cpu|overhead|copies|copying|lock contention)|make .{1,60} faster)\b/i;
/** A verb needs more than one word after it, because `Add lambdatest` and `Fix schema` say too little. */
const fewestWords = 3;
/** Objects that are a feature as often as a hint for readers or a line of text. */
const vague =
  /^\w+ (?:(?:a|an|the|some|more|new|another|missing|proper|better|security|deprecation|extra|additional) )*(?:warnings?|notes?|hints?|comments?|messages?|logs?|logging|info|information|details|disclaimer|todos?|metadata|permissions?|checks?)\b/i;

/** Matches the name of a test, such as `TestReconcile` or `Test_Reconcile`. */
const testName = /\bTest(?:_|\p{Lu})\w/u;
/** Matches a typing error in code or messages, which neither readers of documentation nor users notice. */
const codeTypo =
  /\btypos? (?:of|for)\b|\btypos?\b.{0,40}\b(?:variables?|functions?|methods?|comments?|(?:error|log|warning|panic|deprecation) (?:messages?|warnings?|logs?)|names?|[\w-]{1,60}\.(?:js|ts|go|py|rs|java|c|h|cpp|rb|php))\b/i;
const insideVerb =
  /^(?:refactor(?:s|ed|ing)?|clean(?:s|ed|ing)?[- ]?up|tid(?:y|ied)|reformat(?:s|ted)?|lint|nit|wip|tests?|tested|testing|ci|chore|deflake|(?:un)?skip (?:the )?(?:[\w./-]+ )?tests?)\b/i;
/** Things that only developers of the project see. */
const insideWords =
  /\b(?:(?:unit|e2e|end-to-end|integration|regression|acceptance|conformance|smoke|snapshot|fuzz|scale|load|stress)[- ]?tests?|(?:test|tests)(?! (?:mode|commands?|connections?|buttons?|keys?|accounts?|data ?sets?|endpoints?|messages?|mails?|emails?|webhooks?|api)\b)|for testing|testcases?|testdata|e2e|flak(?:e|es|ey|y|iness)|lint(?:er|ers|ing)?|golangci(?:-lint)?|eslint|prettier|codecov|codeql|code coverage|github actions?|(?:ci|gh|github) (?:jobs?|pipelines?|workflows?|config|builds?|images?|runners?|actions?)|(?:in|on|for|to|the|fix|from) ci|codeowners|maintainers|pre-commit|tilt(?:file)?|envtest|nolint|boilerplate|(?:copyright|license|licence) headers?|(?:code|folder|file|directory|package|repo|repository) (?:structure|layout)|agents? config(?: files?)?|dependabot|renovate|benchmarks?|fixtures?|codegen|release (?:scripts?|process|workflows?|tooling|jobs?|team)|sponsors?|sponsorship|spelling|cspell|codespell)\b/i;
/**
 * Things that readers of the documentation see. A word next to a dot, a slash, a dash or a backtick is a part of a name,
 * such as `docs.rs`.
 */
const documentationWords =
  /(?<![\w./`'"-])(?:docs?|documentation|readme|typos?|grammar|wording|changelog|docstrings?|godocs?|jsdocs?|javadocs?|code comments?|tutorials?|release notes|handbooks?|glossary|faq|cookbook|quick[- ]?start|getting started|(?:user |migration |upgrade |upgrading |contributing |contribution |style |install(?:ation)? |security |step by step |v\d+ )?guid(?:e|es|ance|elines?)|links|anchors|anchor (?:tag|id|link)s?|comments? in|(?:broken|dead|redirected|archived) (?:[\w-]+ )?link|link to|(?:code |usage |migration |config(?:uration)? )?examples?|diagrams?|badges?|headings?|proposals?|roadmap|threat model|security policy|code of conduct|website|book|ecosystem|to (?:the |our )?(?:[\w-]+ ){0,2}lists?|(?:fix|updat|correct|chang)(?:e[sd]?|ed|es|ing)? (?:the )?notes?|release schedule|timeline|instructions?|release note|migration note|troubleshooting|use cases?|references|support policy|escalation policy|list of (?:providers|plugins|adopters|users|companies|projects|integrations|maintainers)|community plugins?|adopters|(?:plugins?|core|maintainer|release) team|to team)(?![\w/`'"-]|\.\w)|(?<![\w`./-])[\w./-]+\.(?:md|mdx|rst|adoc)\b/i;
/** Words of titles that correct a text, also where the text is about a fault: `Fix typo in panic docs`. */
const aboutText =
  /\b(?:docs?|documentation|readme|typos?|changelog|docstrings?|godocs?|comments?|guides?|examples?)\b/i;
const documentationVerb =
  /^(?:document(?:s|ed|ing)?|clarif(?:y|ies|ied|ying)|re-?word(?:s|ed|ing)?|re-?phrase[sd]?|mention(?:s|ed)?|doc)\b/i;
/** Documents of a project. Only the end of a phrase is read, because `Add docs search` is a feature of a product. */
const document = '(?:docs?|documentation|readme|changelog|godocs?|docstrings?|code comments?|proposal|licen[sc]e file)';
/** Matches a change to a document of the project: `Add a proposal for x`, `Fix MIT license file`, `Typo in the docs`. */
const documentWork = new RegExp(
  `^(?:add|updat|fix|improv|clarif|correct|extend|rewrit|mov|renam)(?:e[sd]?|ed|s|ing|y|ies|ied|ying)? (?:[\\w.'/-]+ ){0,4}${document}(?:$| (?:for|to|of|in|on|about|regarding)\\b)|\\btypos?\\b.{0,60} ${document}$`,
  'i',
);
/** Matches a leading word that changes something that exists. A change with such a word is not new to customers. */
const changesThing =
  /^(?:improv|enhanc|optimi[sz]|speed|reduc|simplif|refin|polish|clarif|chang|updat|renam|remov|drop|deprecat|migrat|refactor|rework|rewrit|switch|replac|bump|upgrad|align|adjust|tweak|increas|decreas|lower|consolidat|standardi[sz])(?:e?s|ed|e|d|ing|y|ies|ied|ying|ped|ping)?\b|^(?:mov(?:e[sd]?|ing)|tun(?:e[sd]?|ing)|us(?:e[sd]?|ing)|rais(?:e[sd]?|ing)|better|clearer|faster)\b/i;
/**
 * Matches a leading phrase that often breaks something for users. It never decides the kind, because removing or
 * renaming is also common inside a project.
 */
const breaks =
  /^(?:remov(?:e[sd]?|ing)|drop(?:s|ped|ping)?|deprecat(?:e[sd]?|ing)|renam(?:e[sd]?|ing)|requir(?:e[sd]?|ing)|chang(?:e[sd]?|ing) (?:the )?default)\b/i;

/** Returns the kind that the words of a title show, or undefined. `text` has no prefixes. */
export function kindOfWords(text: string): WordKind | undefined {
  const prose = withoutCode(text);
  if (isInside(prose)) return 'inside';
  // `Fix crash when the docs page opens` repairs a fault, whatever it names.
  if (fault.test(prose) && fix.test(prose) && !aboutText.test(prose)) return 'fix';
  if (documentationWords.test(prose) || documentationVerb.test(prose)) return 'documentation';
  if (performance.test(prose)) return 'performance';
  if (fault.test(prose) && !feature.test(prose)) return 'fix';
  if (text.split(' ').length < fewestWords) return undefined;
  if (fix.test(prose)) return 'fix';
  return feature.test(prose) && !vague.test(prose) ? 'feature' : undefined;
}

/** Whether the words of a title are about tests, CI, documentation or other work on the project itself. */
export function isInsideText(text: string): boolean {
  return isToolingText(text) || documentationWords.test(withoutCode(text));
}

/** Whether the words of a title are about tests, CI or other work on the project itself, documentation excepted. */
export function isToolingText(text: string): boolean {
  return isInside(withoutCode(text));
}

function isInside(prose: string): boolean {
  return insideWords.test(prose) || insideVerb.test(prose) || codeTypo.test(prose) || testName.test(prose);
}

/** Code in a title can contain any word. A placeholder keeps the words around it apart. */
function withoutCode(text: string): string {
  return text.includes('`') ? text.replace(/`[^`]*`/g, 'X') : text;
}

/** Whether a title says that a text was corrected. Other words for documentation can also name parts of a product. */
export function correctsText(text: string): boolean {
  return aboutText.test(withoutCode(text));
}

/** Whether a title is about a document of the project. Such a title is narrower than the words for documentation. */
export function isDocumentText(text: string): boolean {
  return documentWork.test(withoutCode(text));
}

/** Whether the leading word of a text changes something that exists: `Improve the search`, `Use the new parser`. */
export function changesExisting(text: string): boolean {
  return changesThing.test(text);
}

/** Whether the leading words of a title announce something that users may have to act on: `Remove the flag --old`. */
export function mayBreak(text: string): boolean {
  return breaks.test(text);
}
