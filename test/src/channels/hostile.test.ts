/**
 * Tests hostile titles, bodies and edited texts in the output of every channel. Links, mentions, markup and scripts in
 * these texts have no effect, and no output is longer than the target accepts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { toEmail } from '../../../src/channels/email/message.ts';
import { channelOf } from '../../../src/channels/index.ts';
import { supportMessenger } from '../../../src/channels/support-messenger.ts';
import { toCardMessage } from '../../../src/channels/text/card.ts';
import { toChatMessage } from '../../../src/channels/text/chat-blocks.ts';
import { escapeText } from '../../../src/notes/draft/escape.ts';
import { channelNames } from '../../../src/protocol/names.ts';
import { aNote } from '../../helpers/delivery.ts';
import { hostileText } from '../../helpers/hostile-texts.ts';

const hostile = [
  '@here',
  '@channel <!channel> <@U1|x> <#C1>',
  '<!subteam^S1>',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '![x](https://evil.example/x.png)',
  '<javascript:alert(1)>',
  '&lt;script&gt; &amp; &#106;avascript:',
  '`',
  '``` ``',
  '<!-- rn:pr:1 -->',
  '<!--',
  '-->',
  '\u202Etxt.exe\u202C \u2066x\u2069',
  'a\u0000b\u0001c\u0002d\u0003e\u0007',
  '\u009b31mred\u0090x\u009c \u200bzero\u2060width\ufeff \u{e0041}tag \u200f\u061c',
  '# Heading',
  '- item',
  '1. one',
  '> quote',
  '***bold*** _i_ __b__ ~~s~~',
  '| a | b |',
  '\\',
  '\\[x](javascript:1)',
  '\ud800',
  'x'.repeat(10_000),
  '&'.repeat(3_000),
  '</details></p></body></html>',
  '{{DATE(2020-01-01T00:00:00Z, SHORT)}} @{y}',
  '---',
  '===',
  '"><a href="https://evil.example',
];
const pieces = fc.array(fc.constantFrom(...hostile, 'word', 'feat: x'), { minLength: 1, maxLength: 5 });
/** Two generators: titles of changes as notes contain them, and lines that a person may write into a draft. */
const titles = pieces.map((parts) => `- ${escapeText(parts.join(' '))} <!-- rn:pr:1 -->`);
const edited = fc
  .tuple(pieces, fc.constantFrom('- ', '## ', '> ', '', '```\n', '  ', '1. ', '| '))
  .map(([parts, mark]) => mark + parts.join('\n'));
const entry = fc.oneof(
  titles,
  edited,
  fc.nat(5_000).map((seed) => hostileText(seed, 'text', 4_000).text),
);
const bodies = fc.array(entry, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('\n\n'));

const oracle = new MarkdownIt('commonmark', { html: true });
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]|\p{Surrogate}/u;
const calls = /@(?:here|channel|everyone)\b/;
const ownTags =
  /<\/?(?:h[1-6]|p|pre|code|blockquote|ul|li|table|tr|th|td|hr|strong|em|s|br|small)>|<ol(?: start="\d+")?>|<\/(?:ol|a)>/g;
const ownLinks = /<a href="(?:https?:\/\/|mailto:)[^"<>]*"(?: rel="nofollow noopener noreferrer")?>/g;

function assertHtml(html: string): void {
  const rest = html.replace(ownTags, '').replace(ownLinks, '');
  assert.doesNotMatch(rest, /[<>]/);
  assert.doesNotMatch(rest, /&(?!(?:amp|lt|gt|quot|#39);)/);
  assert.doesNotMatch(html, unseen);
}

function assertChat(text: string): void {
  const bare = text.replace(/^> /gm, '').replace(/<(?:https?:\/\/|mailto:)[^<>|\s]+(?:\|[^<>\n]*)?>/g, '');
  assert.doesNotMatch(bare, /[<>]/);
  assert.doesNotMatch(bare, /&(?!(?:amp|lt|gt);)/);
  assert.doesNotMatch(bare.replace(/```[\s\S]*?```|`[^`\n]*`/g, ''), calls);
  assert.equal((text.match(/`/g)?.length ?? 0) % 2, 0, 'a backtick stands alone');
  assert.doesNotMatch(text, unseen);
}

function assertCard(text: string): void {
  for (const token of oracle.parse(text, {}).flatMap((each) => [each, ...(each.children ?? [])])) {
    assert.doesNotMatch(token.type, /html|image|heading|fence|code|blockquote|hr/, text);
    if (token.type === 'link_open') assert.match(String(token.attrGet('href')), /^(?:https?:\/\/|mailto:)/);
    if (token.type === 'text') assert.doesNotMatch(token.content, calls);
  }
  assert.doesNotMatch(text, /\{\{/);
  assert.doesNotMatch(text, unseen);
}

test('the start of a card line has no effect when it comes from several pieces', () => {
  const starts = [
    '` `# A',
    '`  ` - a',
    '`1`. a',
    '`1`) a',
    '`    `code',
    '**` `** # A',
    '`-` a',
    '`+`  a',
    '`=`==',
    '`#` A',
    '\\\n\\\n  A',
  ];
  for (const start of starts) {
    for (const bodyMd of [start, `- ${start}`, `1. ${start}`, `A\\\n${start}`, `- A\n\n  ${start}`]) {
      for (const { text } of toCardMessage(aNote({ bodyMd })).attachments[0].content.body) {
        assertCard(text);
        const items = oracle.parse(text, {}).filter(({ type, level }) => type === 'list_item_open' && level > 1);
        assert.deepEqual(items, [], `${JSON.stringify(bodyMd)} became ${JSON.stringify(text)}`);
        const lists = oracle.parse(text, {}).filter(({ type }) => type.endsWith('_list_open'));
        assert.ok(lists.length <= (/^(?:-|1\.) /.test(bodyMd) ? 1 : 0), `${JSON.stringify(bodyMd)}: ${text}`);
      }
    }
  }
});

test('hostile texts have no effect in any target, and the limits hold', () => {
  const settings = { accessToken: 'x', senderId: 1 };
  fc.assert(
    fc.property(bodies, fc.constantFrom(...hostile), fc.boolean(), (bodyMd, version, isPrivate) => {
      const note = aNote({ bodyMd, version, persona: isPrivate ? 'customer' : 'engineer' });
      note.repository = { ...note.repository, private: isPrivate };
      const chat = toChatMessage(note);
      assert.ok(chat.blocks.length <= 50);
      assert.ok(chat.blocks.reduce((sum, { text }) => sum + text.text.length, 0) <= 11_000 + 150);
      for (const { type, text } of chat.blocks) {
        if (type === 'section') assertChat(text.text);
        assert.doesNotMatch(text.text, unseen);
        assert.ok(text.text.trim() !== '' && text.text.length <= (type === 'header' ? 150 : 3_000));
      }
      assertChat(chat.text);
      const card = toCardMessage(note);
      assert.ok(Buffer.byteLength(JSON.stringify(card)) <= 28_000);
      for (const { text } of card.attachments[0].content.body) assertCard(text);
      const mail = toEmail(note);
      assertHtml(
        mail.html
          .replace(
            /^<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>([^<]*)<\/title><\/head><body style="[^"]*">/,
            '$1',
          )
          .replace(/<\/body><\/html>\n$/, ''),
      );
      assert.doesNotMatch(mail.subject, /[\r\n]/);
      assert.doesNotMatch(mail.subject, unseen);
      assert.doesNotMatch(mail.text, unseen);
      const { body } = supportMessenger.render(note, settings);
      assertHtml(body);
      assert.ok(body.length <= 50_500);
    }),
    { numRuns: 300, includeErrorInReport: true },
  );
});

test('comments for the editor of a draft reach no receiver', () => {
  const bodyMd = [
    '- Mine <!-- rn:pr:1.2 --> <!-- rn:commit:1f3a9c2 -->',
    '  <!-- rn:gone pr:1.2 left out by the label secret-plan -->',
    '  <!-- rn:new',
    '  - secret-plan',
    '  -->',
    '- Other <!-- rn:pr:2 -->',
    '',
    '| a |',
    '|---|',
    '| b <!-- rn:pr:3 --> |',
    '<!-- rn:gone pr:3 secret-plan -->',
    '',
  ].join('\n');
  for (const persona of ['engineer', 'internal', 'customer'] as const) {
    for (const channel of channelNames) {
      const note = aNote({ bodyMd, persona });
      const sent = JSON.stringify(channelOf(channel).render(note, { accessToken: 'x', senderId: 1 }));
      assert.doesNotMatch(sent, /secret-plan|rn:gone|rn:new/, `${channel} ${persona}`);
      if (persona === 'customer') assert.doesNotMatch(sent, /rn:/, channel);
      assert.match(sent, /Mine/);
    }
  }
});

test('hostile titles keep their words', () => {
  for (const title of [
    'a * b',
    'x_y',
    '1. one',
    '- item',
    '# Heading',
    'C:\\dir',
    'a & b &lt; c',
    '~~s~~',
    '[x](y)',
    '"quoted"',
  ]) {
    const note = aNote({ bodyMd: `- ${escapeText(title)} <!-- rn:pr:1 -->\n` });
    assert.match(toEmail(note).text, new RegExp(`^- ${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, 'm'));
    const [, block] = toCardMessage(note).attachments[0].content.body;
    const shown = oracle.parseInline(String(block?.text).replace(/^- /, ''), {})[0]?.children ?? [];
    assert.equal(shown.map(({ content }) => content).join(''), title);
  }
});
