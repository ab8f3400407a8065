/**
 * Shows the field for the Markdown text of a draft, with a toolbar. The text is drawn a second time over the field. So the
 * comments that connect a line to its change are pale, and each link in the gutter is at the height of its line, also
 * where lines wrap.
 */
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icons.tsx';
import { memo } from '../../parts/memo.ts';
import { applyTool, type Tool } from '../../text/markdown-edit.ts';
import { MarkCard } from './mark-card.tsx';
import { idIn, type Mark, type Marks } from './marks.ts';

const tools: readonly { tool: Tool; name: string; key?: string }[] = [
  { tool: 'bold', name: 'Bold', key: 'b' },
  { tool: 'italic', name: 'Italic', key: 'i' },
  { tool: 'link', name: 'Link', key: 'k' },
  { tool: 'list', name: 'List' },
  { tool: 'heading', name: 'Heading' },
  { tool: 'code', name: 'Code' },
];

/** Maximum length of a text that is drawn with colors and links, in characters. */
const maxDrawn = 300_000;
/** Lines that are compared together, so that a key touches the lines around the caret only. */
const blockSize = 40;
/** Height below a link that its card needs, in pixels. */
const cardHeight = 200;

/** A line of the text. `at` names its change, and is unique in the text. */
interface Line {
  key: string;
  text: string;
  at: string | undefined;
  id: string | undefined;
}

export function Editor({
  text,
  repoId,
  marks,
  isReadOnly,
  onChange,
}: {
  text: string;
  repoId: string;
  marks: Marks;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLPreElement>(null);
  const [open, setOpen] = useState<{ at: string; isLow: boolean } | undefined>(undefined);
  const earlier = useRef<readonly Line[]>([]);
  const lines = useMemo(() => {
    earlier.current = linesIn(text, earlier.current);
    return earlier.current;
  }, [text]);
  const blocks = useRef<readonly Line[][]>([]);
  blocks.current = blocksOf(lines, blocks.current);
  const apply = (tool: Tool): void => {
    const element = field.current;
    if (!element || isReadOnly) return;
    element.focus();
    const { from, to, insert, select } = applyTool(tool, element.value, element.selectionStart, element.selectionEnd);
    element.setSelectionRange(from, to);
    // The commands keep the list of steps that the person can undo.
    const isDone = insert === '' ? document.execCommand('delete') : document.execCommand('insertText', false, insert);
    if (!isDone) element.setRangeText(insert, from, to, 'end');
    element.setSelectionRange(...select);
    onChange(element.value);
  };
  const links = (): HTMLElement[] => [...(gutter.current?.querySelectorAll<HTMLElement>('[data-at]') ?? [])];
  const onFieldKey = (event: KeyboardEvent): void => {
    const isControlled = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const used = isControlled ? tools.find(({ key }) => key === event.key.toLowerCase()) : undefined;
    if (used) {
      event.preventDefault();
      event.stopPropagation();
      apply(used.tool);
    }
    if (event.key === 'Escape') setOpen(undefined);
    if (event.key !== 'Tab' || event.shiftKey) return;
    // The next stop is the link of the line with the caret, so that no one has to pass hundreds of links.
    const all = links();
    const at = lineOfCaret(lines, field.current?.selectionEnd ?? 0)?.at;
    const own = all.find(({ dataset }) => dataset.at === at) ?? all[0];
    if (!own) return;
    event.preventDefault();
    own.focus();
  };
  const onGutterKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') field.current?.focus();
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at === -1) return;
    event.preventDefault();
    all[to]?.focus();
  };
  const show = ({ target }: Event): void => {
    const mark = target instanceof Element ? target.closest('.mark') : null;
    const at = mark?.querySelector<HTMLElement>('[data-at]')?.dataset.at;
    if (!mark || at === undefined || at === open?.at) return;
    const bottom = mark.closest('.editor-field')?.getBoundingClientRect().bottom ?? 0;
    setOpen({ at, isLow: mark.getBoundingClientRect().top + cardHeight > bottom });
  };
  const hide = ({ relatedTarget }: MouseEvent | FocusEvent): void => {
    if (!(relatedTarget instanceof Element && relatedTarget.closest('.mark'))) setOpen(undefined);
  };
  return (
    <div class="editor">
      <Toolbar isDisabled={isReadOnly} onUse={apply} />
      <div class="editor-field">
        <textarea
          ref={field}
          id="editor-text"
          aria-label="Text in Markdown"
          dir="auto"
          aria-describedby="editor-help"
          spellcheck
          readOnly={isReadOnly}
          value={text}
          onKeyDown={onFieldKey}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {text.length > maxDrawn ? (
          <pre aria-hidden="true">{text}&nbsp;</pre>
        ) : (
          // biome-ignore lint/a11y/useKeyWithMouseEvents: the focus of a link does the same, by onFocusIn and onFocusOut
          <pre
            ref={gutter}
            onKeyDown={onGutterKey}
            onMouseOver={show}
            onMouseOut={hide}
            onFocusIn={show}
            onFocusOut={hide}
          >
            {blocks.current.map((block, i) => (
              <Block
                key={i}
                lines={block}
                repoId={repoId}
                marks={marks.markOf}
                open={block.some(({ at }) => at === open?.at) ? open : undefined}
              />
            ))}
          </pre>
        )}
      </div>
      <p id="editor-help" class="faint editor-help">
        A pale comment connects its line to a change and is never published.{' '}
        <span class="by-key">Tab leads from a line to the link of its change.</span>
      </p>
    </div>
  );
}

/** One stop of the Tab key; the arrow keys lead to the other tools. */
function Toolbar({ isDisabled, onUse }: { isDisabled: boolean; onUse: (tool: Tool) => void }): JSX.Element {
  const [stop, setStop] = useState(0);
  const move = (event: KeyboardEvent): void => {
    const last = tools.length - 1;
    const to = {
      ArrowRight: stop === last ? 0 : stop + 1,
      ArrowLeft: stop === 0 ? last : stop - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setStop(to);
    (event.currentTarget as HTMLElement).querySelectorAll('button')[to]?.focus();
  };
  return (
    <div class="toolbar" role="toolbar" aria-label="Text" aria-controls="editor-text" onKeyDown={move}>
      {tools.map(({ tool, name, key }, i) => (
        <button
          key={tool}
          type="button"
          class="icon-button"
          aria-label={name}
          aria-keyshortcuts={key && `Control+${key.toUpperCase()}`}
          aria-disabled={isDisabled}
          title={key ? `${name} (Ctrl ${key.toUpperCase()})` : name}
          tabIndex={i === stop ? 0 : -1}
          onFocus={() => setStop(i)}
          onClick={() => onUse(tool)}
        >
          <Icon name={tool} />
        </button>
      ))}
    </div>
  );
}

/** Lines that are drawn again only if one of them has changed. */
const Block = memo(
  ({
    lines,
    repoId,
    marks,
    open,
  }: {
    lines: readonly Line[];
    repoId: string;
    marks: Marks['markOf'];
    open: { at: string; isLow: boolean } | undefined;
  }): JSX.Element => (
    <>
      {lines.map(({ key, text, at, id }) => (
        <DrawnLine
          key={key}
          text={text}
          at={at}
          repoId={repoId}
          mark={id === undefined ? undefined : marks(id)}
          card={open !== undefined && open.at === at ? (open.isLow ? 'low' : 'high') : undefined}
        />
      ))}
    </>
  ),
);

const DrawnLine = memo(
  ({
    text,
    at,
    mark,
    repoId,
    card,
  }: {
    text: string;
    at: string | undefined;
    mark: Mark | undefined;
    repoId: string;
    card: 'high' | 'low' | undefined;
  }): JSX.Element => (
    <span class={/^#{1,6} /.test(text) ? 'line md-heading' : 'line'}>
      {mark && at !== undefined && (
        <span class={`mark${mark.warnings.length > 0 ? ' warn' : ''}${card ? ` open ${card}` : ''}`}>
          <a
            href={mark.href}
            tabIndex={-1}
            data-at={at}
            target="_blank"
            rel="noreferrer"
            aria-describedby={card && 'mark-card'}
          >
            {mark.warnings.length > 0 && <Icon name="warning" />}
            {mark.label}
            {mark.warnings.length > 0 && <span class="hidden">, needs attention</span>}
          </a>
          {card && <MarkCard mark={mark} repoId={repoId} />}
        </span>
      )}
      <span aria-hidden="true">
        {text.includes('<!--')
          ? text.split(/(<!--.*?-->)/).map((part, i) =>
              i % 2 === 0 ? (
                part
              ) : (
                <span key={i} class="md-comment">
                  {part}
                </span>
              ),
            )
          : text}
      </span>
    </span>
  ),
);

/**
 * Splits a text into lines with keys that stay when lines are added before them. Lines at the same place in the earlier
 * list that have not changed stay the same objects.
 */
function linesIn(text: string, earlier: readonly Line[]): Line[] {
  const seen = new Map<string, number>();
  const countOf = (name: string): number => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before;
  };
  let last: string | undefined;
  return text.split('\n').map((line, i) => {
    const found = idIn(line);
    // The comment of a conflict is below its line. Both are about the same change.
    const id = found === last && line.includes('rn:gone') ? undefined : found;
    last = found;
    const [key, at] = [`${line}\n${countOf(line)}`, id && `${id}~${countOf(`${id}\n`)}`];
    const same = earlier[i];
    return same?.key === key && same.at === at ? same : { key, text: line, id, at };
  });
}

/** Divides lines into blocks. A block of which no line has changed stays the same object. */
function blocksOf(lines: readonly Line[], earlier: readonly Line[][]): Line[][] {
  const blocks: Line[][] = [];
  for (let from = 0; from < lines.length; from += blockSize) {
    const block = lines.slice(from, from + blockSize);
    const same = earlier[blocks.length];
    const isSame = same?.length === block.length && block.every((line, i) => line === same[i]);
    blocks.push(isSame ? same : block);
  }
  return blocks;
}

/** Returns the last line with a change that begins before the caret; undefined if there is none. */
function lineOfCaret(lines: readonly Line[], caret: number): Line | undefined {
  let end = -1;
  let found: Line | undefined;
  for (const line of lines) {
    if (line.at !== undefined) found = line;
    end += line.text.length + 1;
    if (end >= caret) break;
  }
  return found;
}
