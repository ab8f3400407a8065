/**
 * Lists the functions that process users' texts. Each function is wrapped in a function with one text as its argument,
 * so that all functions are measured on the same hostile texts.
 */
import { parseBody } from '../../../src/api/body.ts';
import { readIfMatch } from '../../../src/api/conditional.ts';
import { cleanLogo } from '../../../src/api/logo.ts';
import { pageLinks } from '../../../src/api/page.ts';
import { apiRoutes } from '../../../src/api/routes.ts';
import { check, checkQuery, shown } from '../../../src/api/validate.ts';
import type { Note } from '../../../src/channels/channel.ts';
import { plainEmail, toEmail } from '../../../src/channels/email/message.ts';
import { cutMarkdown } from '../../../src/channels/host/cut-markdown.ts';
import { withVersion } from '../../../src/channels/host/file-text.ts';
import { harmlessLine, harmlessMarkdown } from '../../../src/channels/host/harmless.ts';
import { toHostMarkdown } from '../../../src/channels/host/host-markdown.ts';
import { fenceAfter, mapProse, markdownParts, openFence } from '../../../src/channels/host/markdown-parts.ts';
import {
  wordsOf as headingWords,
  isVersion,
  namesVersion,
  readHeadings,
  versionLine,
} from '../../../src/channels/host/version-heading.ts';
import { channelOf } from '../../../src/channels/index.ts';
import { plainCardMessage, toCardMessage } from '../../../src/channels/text/card.ts';
import { plainChatMessage, toChatMessage } from '../../../src/channels/text/chat-blocks.ts';
import { excerptOf } from '../../../src/channels/text/excerpt.ts';
import { blocksToHtml } from '../../../src/channels/text/html.ts';
import { bareText } from '../../../src/channels/text/inlines.ts';
import { breakMentions as breakCalls } from '../../../src/channels/text/mentions.ts';
import { escapeMrkdwn, mrkdwnLink, toChunks } from '../../../src/channels/text/mrkdwn.ts';
import { blocksOf, titleOf } from '../../../src/channels/text/note-text.ts';
import { parseMarkdown } from '../../../src/channels/text/parse.ts';
import { toPlain } from '../../../src/channels/text/plain.ts';
import { settled, shorten as shortenText, splitText } from '../../../src/channels/text/split.ts';
import { conflictsOf } from '../../../src/foundation/conflicts.ts';
import { escapeHtml } from '../../../src/foundation/escape-html.ts';
import { entityTags } from '../../../src/foundation/etag.ts';
import { terminalText } from '../../../src/foundation/visible-text.ts';
import { hintOfOwner } from '../../../src/ingress/owner.ts';
import { parsePayload } from '../../../src/intake/cut/payload.ts';
import { parseJson } from '../../../src/intake/json.ts';
import { coAuthors, redactText } from '../../../src/intake/redact.ts';
import { address, clean, within } from '../../../src/intake/text.ts';
import {
  advisoryIds,
  advisoryLines,
  privateChange,
  repairsSecurity,
  securityHeadings,
  silencesReport,
} from '../../../src/notes/change/advisories.ts';
import { announcesBreaking, impactText, releaseNote, upgradeText } from '../../../src/notes/change/body.ts';
import { tickedBoxes } from '../../../src/notes/change/boxes.ts';
import { classify } from '../../../src/notes/change/classify.ts';
import { besideCode, codeSpansIn } from '../../../src/notes/change/code-spans.ts';
import { commandsIn, mayHaveCommands } from '../../../src/notes/change/commands.ts';
import { chainUpdates, isUpdate, isUpdater, updatedPackages } from '../../../src/notes/change/dependencies.ts';
import { isKey, takeLeadingKeys } from '../../../src/notes/change/issue-keys.ts';
import { distinctAreas, readLabels } from '../../../src/notes/change/labels.ts';
import { isInsideText, kindOfWords, mayBreak } from '../../../src/notes/change/leading-words.ts';
import { linkedIssues } from '../../../src/notes/change/link.ts';
import { noteItems } from '../../../src/notes/change/note.ts';
import { isPlainWord } from '../../../src/notes/change/plain-words.ts';
import { changeOfCommit } from '../../../src/notes/change/record.ts';
import { isRelease, isRoutine, isTranslation } from '../../../src/notes/change/routine.ts';
import { unixLines, visibleProse, withoutComments } from '../../../src/notes/change/scan.ts';
import { sharedMeaning } from '../../../src/notes/change/scopes.ts';
import { parseTitle } from '../../../src/notes/change/title.ts';
import { meaningOf, signOf } from '../../../src/notes/change/title-words.ts';
import { wholeTitle } from '../../../src/notes/change/whole-title.ts';
import { compose } from '../../../src/notes/draft/compose.ts';
import type { Entry } from '../../../src/notes/draft/entries.ts';
import { breakMentions, cleanLine, escapeText, plainText, wordsOf } from '../../../src/notes/draft/escape.ts';
import { gather } from '../../../src/notes/draft/gather.ts';
import { inlineWords, isName, withoutTags } from '../../../src/notes/draft/inline.ts';
import { issueTitle, isUnresolved } from '../../../src/notes/draft/issues.ts';
import { commitLine, personLink, safeUrl } from '../../../src/notes/draft/markdown.ts';
import { gone, mended } from '../../../src/notes/draft/mend.ts';
import { isPerson } from '../../../src/notes/draft/people.ts';
import { customerText, isWish, noteText, withoutInside } from '../../../src/notes/draft/plain.ts';
import { firstSentence, inlineText, quoteLines } from '../../../src/notes/draft/quote.ts';
import { severityOf } from '../../../src/notes/draft/severity.ts';
import { parseDraft, writeDraft } from '../../../src/notes/merge/blocks.ts';
import { restore, shorten } from '../../../src/notes/merge/equal-runs.ts';
import { mergeBodies, mergeDrafts } from '../../../src/notes/merge/merge.ts';
import { endsWithNumber, firstLine, pullsOf } from '../../../src/notes/range/attribute.ts';
import { originalOfCommit, picksOf } from '../../../src/notes/range/backports.ts';
import { quotedTitle, revertedCommits, revertedMerges } from '../../../src/notes/range/commit-reverts.ts';
import { publicationOf } from '../../../src/notes/range/publication.ts';
import { lineOfBranch, versionOf } from '../../../src/notes/range/release-tags.ts';
import { RevertTargets } from '../../../src/notes/range/revert-targets.ts';
import { isRevert, settleReverts } from '../../../src/notes/range/reverts.ts';
import { lastTagRanges } from '../../../src/notes/range/tag-ranges.ts';
import { atomFeed, type FeedHead, jsonFeed } from '../../../src/pages/feeds.ts';
import { listPage, versionPage } from '../../../src/pages/html.ts';
import { textOf, withAnchors } from '../../../src/pages/note-html.ts';
import { comparable } from '../../../src/pages/search.ts';
import * as connections from '../../../src/protocol/channel-settings.ts';
import type { ChannelName } from '../../../src/protocol/channels.ts';
import * as hostPayloads from '../../../src/protocol/host.ts';
import * as hostConnections from '../../../src/protocol/host-channel-settings.ts';
import * as notesSettings from '../../../src/protocol/notes.ts';
import { UpdateDraftBodySchema } from '../../../src/protocol/resources/drafts.ts';
import { PagingSchema } from '../../../src/protocol/resources/paging.ts';
import { CreateRangeBodySchemas } from '../../../src/protocol/resources/ranges.ts';
import type { CommitRecord, Persona, PullRecord } from '../../../src/protocol/stored.ts';
import { type NamedText, unifiedDiff } from '../../../workers/render/unified-diff.ts';
import { anIssue, aPull, aPush, aTag, history, memorySource } from '../../src/notes/memory-source.ts';
import { aNote } from '../delivery.ts';

/** A function that takes one text. `name` is the function's name in failure messages. */
export interface TextFunction {
  name: string;
  /**
   * True for a function that calls many other text functions and is therefore slow. The called functions are also
   * measured separately.
   */
  isWhole: boolean;
  work: (text: string) => unknown;
}

/**
 * Returns a draft that contains a text and an entry. Two drafts with the same text and different entries simulate a
 * draft before and after it was generated again.
 */
const draftWith = (text: string, entry: string): string =>
  `## Features\n\n- One <!-- rn:pr:1 -->\n${text}\n- ${entry} <!-- rn:pr:2 -->\n`;
const context = { fullName: 'acme/rocket', formerNames: ['acme/old'], origin: 'https://scm.example', ownNumber: 1 };
const head: FeedHead = {
  title: 'Notes',
  language: 'en',
  home: 'https://notes.example/',
  feeds: { atom: 'https://notes.example/atom.xml', json: 'https://notes.example/feed.json' },
};
const personas: readonly Persona[] = ['engineer', 'internal', 'customer'];

function named(text: string): NamedText {
  return { name: 'draft.md', text };
}

function noteOf(bodyMd: string, fields: Partial<Note> = {}): Note {
  return aNote({ bodyMd, pageUrl: 'https://notes.example/v2', ...fields });
}

/** Returns a note as customers of a private repository receive it: without markers and without links. */
function privateNote(bodyMd: string): Note {
  const note = noteOf(bodyMd, { persona: 'customer' });
  return { ...note, repository: { ...note.repository, private: true } };
}

const channelSettings: Partial<Record<ChannelName, Record<string, unknown>>> = {
  support_messenger: { accessToken: 'x', senderId: 1 },
};

function rendered(channel: ChannelName, note: Note): unknown {
  return channelOf(channel).render(note, channelSettings[channel] ?? {});
}

function draftOf(pull: Partial<PullRecord>, persona: Persona): unknown {
  const pulls = [aPull(2, { title: 'fix!: keep the cursor', labels: ['type: breaking'], ...pull }), aPull(3)];
  return compose(memorySource({ pulls }), { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 }, persona);
}

function aCommit(message: string): CommitRecord {
  return { sha: 'abc', message, at: 0, author: 'a', coAuthors: [], pushes: [] };
}

/** Returns an entry with a text as its title, its release note, its area, and the title of its issue. */
function entryOf(text: string): Entry {
  const pulls = [aPull(2, { title: 'fix: keep the cursor', linkedIssues: [3] })];
  const source = memorySource({ pulls, issues: [anIssue(3, { title: text })] });
  const [entry] = gather(source, { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 }).entries;
  const note = { type: null, breaking: false, housekeeping: false, areas: [], markdown: text };
  return { ...(entry as Entry), text, note };
}

/** Returns what a pull request of a release branch carries, if the text is its body and the message of its merge. */
function picksIn(text: string): unknown {
  const pull = aPull(3, { baseRef: '1.x', body: `Includes the following:\n\n- #2\n- ${text}\n\nbackports ${text}` });
  const merge = { ...aCommit(`Pick\n\n* One\n\n${picked}\n\n* ${text}\n${picked}\n* ${text}`), sha: 'm3' };
  return picksOf(memorySource({ pulls: [aPull(2), pull], commits: [merge] }), pull);
}

const picked = '(cherry picked from commit 0123456789abcdef)';

function draftOfCommits(message: string): unknown {
  const source = memorySource({
    pulls: [aPull(2)],
    tags: [aTag('v1', 'm1'), aTag('v2', 'end')],
    ...history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['m2', 'd1', 'end'], 2)),
  });
  const commit = source.commit;
  const worded = { ...source, commit: (sha: string) => commit(sha) && { ...commit(sha), message } } as typeof source;
  return compose(worded, { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' }, 'engineer');
}

const forNotes: Record<string, (text: string) => unknown> = {
  firstLine,
  endsWithNumber,
  parseDraft: (text) => writeDraft(parseDraft(text)),
  announcesBreaking: (text) => announcesBreaking(`BREAKING CHANGE: ${text}`),
  upgradeText: (text) => upgradeText(`## Upgrade\n\n${text}`),
  'upgradeText in a footer': (text) => upgradeText(`BREAKING CHANGE: ${text}`),
  impactText: (text) => impactText(`upgrade\n${text}`),
  mayHaveCommands,
  commandsIn: (text) => commandsIn(`/kind fix\n${text}`),
  'commandsIn in a note': (text) => commandsIn(`/note ${text}`),
  'commandsIn below a quotation': (text) => commandsIn(`/area x\n> ${text}`),
  releaseNote: (text) => releaseNote(`## Release note\n\n${text}`),
  'releaseNote in a fence': (text) => releaseNote(`\`\`\`release-note\n${text}`),
  versionOf,
  'versionOf after a prefix': (text) => versionOf(`${text}1.2.3-${text}`),
  lineOfBranch,
  quotedTitle,
  'quotedTitle of a revert': (text) => quotedTitle(`Revert "${text}`),
  revertedCommits: (text) => revertedCommits(text, text, new RevertTargets([])),
  revertedMerges: (text) => revertedMerges(memorySource({}), [text, `reverts commits ${text}`]),
  isUpdate,
  'isUpdate of a group': (text) => isUpdate(`update ${text}`),
  isUpdater,
  updatedPackages: (text) => [
    updatedPackages(text),
    updatedPackages(`Bump ${text}`),
    updatedPackages(`Bump a for ${text}`),
  ],
  kindOfWords,
  'kindOfWords of a verb': (text) => [
    kindOfWords(`Handle ${text}`),
    kindOfWords(`Improve ${text}`),
    kindOfWords(`Add ${text}`),
  ],
  isInsideText: (text) => [isInsideText(text), isInsideText(`fix broken ${text}`), isInsideText(`to the ${text}`)],
  mayBreak: (text) => [mayBreak(text), mayBreak(`change the ${text}`)],
  tickedBoxes: (text) => tickedBoxes(`Type of change\n- [x] ${text}\n[x]${text}\n${text}`),
  repairsSecurity: (text) => [
    repairsSecurity(text),
    repairsSecurity(`fix security ${text}`),
    repairsSecurity(`cve-${text}`),
  ],
  advisoryIds: (text) => advisoryIds(`cve-${text}`),
  securityHeadings: (text) => [securityHeadings(`security\n# ${text}`), securityHeadings(`# security ${text}`)],
  advisoryLines: (text) => [
    advisoryLines(`ghsa-\n${text}`),
    advisoryLines(`fixes: ${'CVE-2026-12345 '.repeat(3)}${text}`),
    advisoryLines(`CVE-2026-12345${text}`),
  ],
  silencesReport: (text) => [silencesReport(`cve-${text}`), silencesReport(`ignore cve-2026-12345 ${text}`)],
  privateChange: (text) => privateChange(`Merge commit from fork\n${text}`),
  sharedMeaning: (text) => [sharedMeaning([text, text]), sharedMeaning([`test/${text}`])],
  noteItems: (text) =>
    noteItems({
      kind: 'text',
      parts: [
        { label: 'bug', text },
        { label: text, text: `[BUGFIX] a\n${text}` },
      ],
    }),
  'noteItems of a call': (text) =>
    noteItems({ kind: 'text', parts: [{ label: '', text: `**ACTION REQUIRED** ${text}` }] }),
  changeOfCommit: (text) => changeOfCommit(aCommit(text), 'https://scm.example/a/b'),
  originalOfCommit: (text) => originalOfCommit(memorySource({}), aCommit(`${text}\ncherry picked from commit ${text}`)),
  'picksOf a list': picksIn,
  isWish: (text) => [isWish(text), isWish(`a?${text}`)],
  wordsOf,
  severityOf: (text) => severityOf(entryOf(text)),
  noteText: (text) => noteText(entryOf(text)),
  customerText: (text) => [customerText(entryOf(text)), customerText({ ...entryOf(text), note: null })],
  isTranslation: (text) => isTranslation({ ...parseTitle('x'), text: `new ${text}` }),
  chainUpdates: (text) => chainUpdates([aPull(1, { title: `Bump ${text}` }), aPull(2, { title: text })]),
  cleanLine,
  escapeText: (text) => escapeText(text),
  plainText,
  codeSpansIn: (text) => [codeSpansIn(text), codeSpansIn(text, true)],
  besideCode: (text) => besideCode(text, (prose) => prose.trim()),
  inlineWords: (text) => [inlineWords(text, 'words'), inlineWords(text, 'address')],
  isName,
  withoutTags: (text) => withoutTags(text.slice(0, 4_000)),
  mended: (text) => [mended(text), mended(gone + text + gone), mended(text.replaceAll(' ', gone))],
  isPlainWord,
  'breakMentions of notes': (text) => breakMentions(text, 'comment'),
  takeLeadingKeys,
  isKey,
  issueTitle: (text) => issueTitle({ title: text }),
  isUnresolved: (text) => isUnresolved(anIssue(1, { labels: [text] })),
  readLabels: (text) => readLabels([text, `type: ${text}`]),
  distinctAreas: (text) => distinctAreas([text]),
  linkedIssues: (text) => linkedIssues(`fixes ${text}`, context),
  commitLine: (text) =>
    commitLine('https://scm.example/a/b', { sha: 'abc', message: text, at: 0, author: 'a', coAuthors: [], pushes: [] }),
  personLink: (text) => personLink('https://scm.example', text.toWellFormed(), 'full'),
  safeUrl: (text) => safeUrl(`https://${text}`),
  'mergeBodies of an edit': (text) => mergeBodies(draftWith('', 'Two'), draftWith(text, 'Two'), draftWith('', 'Three')),
  'mergeBodies of a new draft': (text) =>
    mergeBodies(draftWith('', 'Two'), draftWith('Mine', 'Two'), draftWith(text, 'Two')),
  'mergeBodies of a former draft': (text) =>
    mergeBodies(draftWith(text, 'Two'), draftWith('', 'Mine'), draftWith('', 'Three')),
  'mergeBodies of three alike': (text) =>
    mergeBodies(draftWith(text, 'Two'), draftWith(text, 'Mine'), draftWith(text, 'Three')),
  'mergeBodies of two sides': (text) => mergeBodies('', text, `${text}\n\n${text}`),
  'mergeBodies turned round': (text) =>
    mergeBodies(text, text.split('\n').reverse().join('\n'), `${text}\n- x <!-- rn:pr:9 -->`),
  'mergeBodies of a change that is gone': (text) =>
    mergeBodies(draftWith(text, 'Two'), draftWith(text, 'Mine #1'), text, [
      { id: 'pr:2', reason: 'label', detail: text.slice(0, 200) },
    ]),
  conflictsOf: (text) => conflictsOf(`${text}\n<!-- rn:gone pr:1 x -->\n${text}\n<!-- rn:gone pr:2 ${text} -->`),
  mergeDrafts: (text) => mergeDrafts(text, `${text}\nmine`, `${text}\nnext`),
  'unifiedDiff of two sides': (text) => unifiedDiff(named(text), named(`x${text.replaceAll(' ', '\n')}`)),
  'unifiedDiff of moved lines': (text) =>
    unifiedDiff(named(text.replaceAll(' ', '\n')), named([...text.split(' ')].reverse().join('\n'))),
  'shorten and restore': (text) => restore(text, shorten(text, `${text}\nmine`, `next\n${text}`)),
  isPerson: (text) => isPerson(text),
  withoutInside,
  'withoutInside of a link': (text) => withoutInside(`see #1 ${text}`),
  quoteLines: (text) => quoteLines(text, 'comment'),
  'quoteLines of a link definition': (text) => quoteLines(`- [${text}]: x\n[${text}`, 'comment'),
  firstSentence,
  inlineText,
  isRevert: (text) => isRevert(aPull(1, { title: text })),
  settleReverts: (text) =>
    settleReverts(memorySource({}), [aPull(1, { title: `Revert ${text}`, body: `reverts ${text}` })], true),
  publicationOf: (text) => publicationOf(`x\n${text}\nTidings-Publication: ${text}`),
  'lastTagRanges by version': (text) =>
    lastTagRanges(memorySource({ tags: [aTag(`v1${text}`, 'a'), aTag(text, 'b'), aTag('v1', 'c')] }), 5),
  isRelease: (text) =>
    ['release ', 'release 1.', 'prepare ', 'bump version ', '1.', 'update changelog for '].map((start) =>
      isRelease({ ...parseTitle('x'), text: start + text }),
    ),
  isRoutine: (text) =>
    ['merge ', 'ignore ', 'sync release', '1.', 'prepare for 1.', 'cherry-picks for release 1.'].map((start) =>
      isRoutine({ ...parseTitle('x'), text: start + text }),
    ),
  unixLines,
  visibleProse,
  withoutComments,
  parseTitle,
  wholeTitle: (text) => wholeTitle(`${'words '.repeat(10)}${text}…`, text),
  'wholeTitle of marks': (text) => wholeTitle(`${text}${'words '.repeat(10)}…`, text),
  'wholeTitle of a long body': (text) => wholeTitle(`${'words '.repeat(10)}…`, text),
  meaningOf,
  signOf,
  picksOf: (text) => picksOf(memorySource({}), aPull(1, { title: text, body: text, baseRef: '1.x', headRef: text })),
  pullsOf: (text) =>
    pullsOf(memorySource({}), 'abc', {
      sha: 'abc',
      message: `Merge ${text}`,
      at: 0,
      author: 'a',
      coAuthors: [],
      pushes: [],
    }),
  classify: (text) => classify(aPull(1, { title: text, body: text, labels: [text] }), []),
  'classify by text': (text) =>
    classify(aPull(1, { title: `Handle ${text}`, body: `- [x] bug\n# security ${text}`, headRef: text }), [], {
      subjects: () => [text],
    }),
  'compose of commits': draftOfCommits,
  'compose of squashed commits': (text) => draftOfCommits(`Pick (#2)\n\n* ${text}\n${picked}\n* ${text}`),
};
for (const persona of personas) {
  forNotes[`compose of a body for ${persona}`] = (text) => draftOf({ body: text }, persona);
  forNotes[`compose of a note for ${persona}`] = (text) => draftOf({ body: `## Release note\n\n${text}` }, persona);
  forNotes[`compose of steps for ${persona}`] = (text) => draftOf({ body: `## Upgrade\n\n${text}` }, persona);
  forNotes[`compose of a title for ${persona}`] = (text) =>
    draftOf({ title: text, labels: [text], headRef: text }, persona);
}

const forChannels: Record<string, (text: string) => unknown> = {
  cutMarkdown: (text) => cutMarkdown(text, Math.floor(text.length / 2), (count) => `${count} more`),
  'cutMarkdown to little': (text) => cutMarkdown(text, 100, (count) => `${count} more`),
  withVersion: (text) =>
    attempt(() => withVersion(`# Changelog\n\n${text}`, 'Changelog', { version: 'v2', suffix: '', bodyMd: 'New' })),
  'withVersion of notes': (text) =>
    attempt(() => withVersion('# Changelog\n', 'Changelog', { version: 'v2', suffix: '', bodyMd: text })),
  'withVersion of a version': (text) =>
    attempt(() => withVersion('## v1\n', 'Changelog', { version: text, suffix: '', bodyMd: 'x' })),
  'withVersion of its section': (text) =>
    attempt(() =>
      withVersion(`## v2\n\n${text}\n\n## v1\n`, 'Changelog', { version: 'v2', suffix: '', bodyMd: 'New' }),
    ),
  harmlessLine,
  harmlessMarkdown,
  toHostMarkdown: (text) => toHostMarkdown(noteOf(text)),
  'toHostMarkdown for customers': (text) => toHostMarkdown(privateNote(text)),
  fenceAfter: (text) => [fenceAfter('', text), fenceAfter('```', text)],
  mapProse: (text) => mapProse(text, (prose) => prose),
  markdownParts,
  openFence,
  'wordsOf a heading': headingWords,
  isVersion,
  namesVersion: (text) => [namesVersion(text, 'v2'), namesVersion(`v2${text}`, 'v2')],
  readHeadings,
  versionLine,
  plainCardMessage: (text) => plainCardMessage('Title', text),
  toCardMessage: (text) => toCardMessage(noteOf(text)),
  plainChatMessage: (text) => plainChatMessage(text, text),
  toChatMessage: (text) => toChatMessage(noteOf(text)),
  plainEmail: (text) => plainEmail('Title', text),
  toEmail: (text) => toEmail(noteOf(text)),
  blocksToHtml: (text) => blocksToHtml(parseMarkdown(text)),
  bareText,
  'breakMentions of channels': breakCalls,
  escapeMrkdwn,
  mrkdwnLink: (text) => [mrkdwnLink(text, 'words'), mrkdwnLink('https://a.example', text)],
  toChunks: (text) => toChunks(parseMarkdown(text)),
  'blocksOf for customers': (text) => blocksOf(privateNote(text)),
  titleOf: (text) => titleOf(noteOf('', { version: text })),
  parseMarkdown,
  toPlain: (text) => toPlain(parseMarkdown(text)),
  excerptOf: (text) => excerptOf(parseMarkdown(text)),
  settled,
  'shorten of channels': (text) => shortenText(text, Math.floor(text.length / 2)),
  splitText: (text) => splitText(text, 3_000),
};
for (const channel of ['scm_releases', 'changelog', 'hosted', 'support_messenger'] as const) {
  forChannels[`render of ${channel}`] = (text) => rendered(channel, noteOf(text));
  forChannels[`render of ${channel} for customers`] = (text) => rendered(channel, privateNote(text));
}

const forPages: Record<string, (text: string) => unknown> = {
  atomFeed: (text) => atomFeed(head, [feedNote(text)]),
  jsonFeed: (text) => jsonFeed(head, [feedNote(text)]),
  listPage: (text) =>
    listPage(
      { ...head, title: text, stylesheet: 's', isListed: true, canonical: null, logo: { url: 'logo', alt: text } },
      {
        entries: [{ version: text, excerpt: text, date: 0, updatedAt: 0, url: 'https://notes.example/v2' }],
        number: 1,
        newer: null,
        older: null,
        search: { key: undefined, text },
      },
    ),
  versionPage: (text) =>
    versionPage(
      { ...head, stylesheet: 's', isListed: true, canonical: null, logo: null },
      {
        ...feedNote(text),
        persona: 'customer',
        date: 0,
        publicationId: 'pub_1',
        repoId: 'repo_1',
      },
    ),
  withAnchors,
  'withAnchors of a heading': (text) => withAnchors(`<h2>${escapeHtml(text)}</h2>`),
  'withAnchors of many headings': (text) => withAnchors(text.replace(/./gs, '<h2>$&</h2>')),
  textOf,
  comparable,
};

function feedNote(text: string) {
  return { version: text, excerpt: text, html: text, publishedAt: 0, updatedAt: 0, url: 'https://notes.example/v2' };
}

const json = 'application/json';
const forApi: Record<string, (text: string) => unknown> = {
  cleanLogo: (text) => cleanLogo(`data:image/png;base64,${Buffer.from(text).toString('base64')}`),
  'parseBody of a string': (text) => parseBody(json, Buffer.from(JSON.stringify({ bodyMd: text }))),
  'parseBody of a name': (text) => parseBody(json, Buffer.from(JSON.stringify({ [text]: 1 }))),
  'parseBody of text that is not JSON': (text) => attempt(() => parseBody(json, Buffer.from(text))),
  'parseBody of blanks': (text) => parseBody(json, Buffer.from(`{"a"${text.replace(/[^ \t\n]/g, ' ')}:1}`)),
  check: (text) => check(UpdateDraftBodySchema, { bodyMd: text }, 'body'),
  'check of settings': (text) =>
    attempt(() => check(notesSettings.NotesSettingsSchema, { titles: { fix: text }, labels: { [text]: {} } }, 'body')),
  'check of a refused body': (text) =>
    attempt(() => check(CreateRangeBodySchemas.DATE_BASED, { repoId: text, [text]: text, fromDate: text }, 'body')),
  shown: (text) => shown(text),
  checkQuery: (text) => attempt(() => checkQuery(PagingSchema, text)),
  'checkQuery of a value': (text) => attempt(() => checkQuery(PagingSchema, `limit=${text}`)),
  pageLinks: (text) => pageLinks('/api/repos', text, { total: 9, hasMore: true }),
  terminalText,
  readIfMatch: (text) => attempt(() => readIfMatch(text)),
  'readIfMatch of tags': (text) => attempt(() => readIfMatch(`"${text}"`)),
  entityTags,
};

const forIntake: Record<string, (text: string) => unknown> = {
  clean,
  within: (text) => within(text, Math.floor(text.length / 2)),
  address: (text) => address(`https://${text}`, 'https://derived.example'),
  parseJson: (text) => attempt(() => parseJson(JSON.stringify({ text, digits: 1 }))),
  'parseJson with long numbers': (text) => parseJson(`{"n": 12345678901234567890, "text": ${JSON.stringify(text)}}`),
  'parsePayload of a kept text': (text) => parsePayload('push', Buffer.from(JSON.stringify({ ref: text }))),
  'parsePayload of a dropped text': (text) => parsePayload('push', Buffer.from(JSON.stringify({ text, [text]: 1 }))),
  'parsePayload of text that is not JSON': (text) => attempt(() => parsePayload('push', Buffer.from(`{"a":${text}`))),
  'redactText of a comment': (text) => redactText(text, 'comment'),
  'redactText of a text': (text) => redactText(text, 'text'),
  coAuthors,
  hintOfOwner: (text) =>
    hintOfOwner(Buffer.from(JSON.stringify({ [text]: text, repository: { owner: { login: text } } }))),
  'hintOfOwner of text that is not JSON': (text) => hintOfOwner(Buffer.from(`{${text}`)),
};

/**
 * Returns all regular expressions in the schemas of requests and payloads. TypeBox matches them against texts of any
 * length.
 */
function patternsIn(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' && typeof value === 'string') found.add(value);
    if (key === 'patternProperties') for (const pattern of Object.keys(value as object)) found.add(pattern);
    patternsIn(value, found);
  }
  return found;
}

const requests = apiRoutes.flatMap(({ query, contract }) => [query, contract.body]);
for (const pattern of patternsIn([...requests, hostPayloads, connections, hostConnections, notesSettings])) {
  const expression = new RegExp(pattern);
  forApi[`the pattern ${pattern}`] = (text) => [
    expression.test(text),
    expression.test(`${text}\n`),
    expression.test(`a@${text}`),
  ];
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const whole =
  /^(?:render of|compose of|cutMarkdown|to(?:Email|CardMessage|ChatMessage|Chunks|Plain)$|blocks|redactText|hintOfOwner)/;

/** All text functions by their source folder. */
export const textFunctions: Readonly<Record<string, readonly TextFunction[]>> = Object.fromEntries(
  Object.entries({ notes: forNotes, channels: forChannels, pages: forPages, api: forApi, intake: forIntake }).map(
    ([folder, functions]) => [
      folder,
      Object.entries(functions).map(([name, work]) => ({ name, work, isWhole: whole.test(name) })),
    ],
  ),
);
