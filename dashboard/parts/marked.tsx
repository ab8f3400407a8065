/**
 * Shows text with simple markup, about as the program of a channel does. It makes elements, never HTML, and links are
 * shown without leading anywhere.
 */
import type { ComponentChildren, JSX } from 'preact';

/** `chat` is the markup of workspace chats, in which `*` is bold and links are `<address|text>`. */
type Markup = 'markdown' | 'chat';

const inline: Readonly<Record<Markup, RegExp>> = {
  markdown:
    /(<!--.*?-->|\\[!-/:-@[-`{-~]|`[^`]+`|\*\*[^*]+\*\*|(?<!\w)_[^_]+_(?!\w)|\[(?:\\.|[^\]\\])*\]\([^)\s]*\)|<https?:[^>]*>)/,
  chat: /(`[^`]+`|(?<!\w)\*[^*]+\*(?!\w)|(?<!\w)_[^_]+_(?!\w)|<https?:[^>]*>)/,
};

export function Marked({ text, markup }: { text: string; markup: Markup }): JSX.Element {
  return (
    <div class="marked">
      {text.split('\n').map((line, i) => {
        return <span key={i}>{markup === 'markdown' ? <MarkdownLine text={line} /> : piecesOf(line, markup)}</span>;
      })}
    </div>
  );
}

/** Draws one line of Markdown: a heading, an item of a list, a line of a quotation, or a line of a paragraph. */
export function MarkdownLine({ text }: { text: string }): JSX.Element {
  const heading = /^#{1,6} +(.*)$/.exec(text)?.[1];
  if (heading !== undefined) return <strong>{piecesOf(heading, 'markdown')}</strong>;
  const [, indent = '', quote = '', sign = '', rest = ''] =
    /^(\s*)((?:> ?)*)(\s*(?:[-*+]|\d+[.)]) +)?(.*)$/.exec(text) ?? [];
  const start = sign.replace(/[-*+]/, '•');
  const words = piecesOf(rest, 'markdown');
  if (indent + quote + sign === '') return <>{words}</>;
  return (
    <span class="md-line">
      <span class="md-start">{quote === '' ? indent + start : indent}</span>
      <span class={quote === '' ? undefined : 'md-quote'}>
        {quote !== '' && start}
        {words}
      </span>
    </span>
  );
}

/** Draws the words of one line. */
export function Inline({ text, markup }: { text: string; markup: Markup }): JSX.Element {
  return <>{piecesOf(text, markup)}</>;
}

function piecesOf(text: string, markup: Markup): ComponentChildren {
  return text.split(inline[markup]).map((part, i) => {
    if (i % 2 === 0) return plain(part, markup);
    const inside = part.slice(1, -1);
    if (part.startsWith('<!--')) return null;
    if (part.startsWith('\\')) return part.slice(1);
    if (part.startsWith('`')) return <code key={i}>{plain(inside, markup)}</code>;
    if (part.startsWith('**')) return <b key={i}>{piecesOf(part.slice(2, -2), markup)}</b>;
    if (part.startsWith('*')) return <b key={i}>{piecesOf(inside, markup)}</b>;
    if (part.startsWith('_')) return <i key={i}>{piecesOf(inside, markup)}</i>;
    const [address = '', words] =
      part.startsWith('[') && part.includes('](')
        ? [part.slice(part.lastIndexOf('](') + 2, -1), part.slice(1, part.lastIndexOf(']('))]
        : inside.split('|');
    return (
      <u key={i} title={address}>
        {plain(words || address, markup)}
      </u>
    );
  });
}

function plain(text: string, markup: Markup): string {
  if (markup === 'markdown') return text.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return text.replace(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>' })[name] ?? '&');
}
