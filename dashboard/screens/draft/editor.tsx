/**
 * The field for the Markdown text of a draft, with a toolbar. The text is drawn behind the field, so that the comments
 * that connect a line to its change are pale.
 */
import type { JSX } from 'preact';
import { memo } from 'preact/compat';
import { useRef } from 'preact/hooks';
import { Icon, type IconName } from '../../parts/icons.tsx';

interface Tool {
  name: string;
  icon: IconName;
  /** Text before and after the selection, or before each of its lines. */
  around?: readonly [string, string];
  before?: string;
}

const tools: readonly Tool[] = [
  { name: 'Heading', icon: 'heading', before: '## ' },
  { name: 'Bold', icon: 'bold', around: ['**', '**'] },
  { name: 'Italic', icon: 'italic', around: ['_', '_'] },
  { name: 'Code', icon: 'code', around: ['`', '`'] },
  { name: 'Link', icon: 'link', around: ['[', '](https://)'] },
  { name: 'List', icon: 'list', before: '- ' },
];

/** Maximum length of a text that is drawn with colors, in characters. */
const maxDrawn = 300_000;

export function Editor({
  text,
  isReadOnly,
  onChange,
}: {
  text: string;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const apply = (tool: Tool): void => {
    const element = field.current;
    if (!element) return;
    element.focus();
    const { selectionStart: start, selectionEnd: end } = element;
    const chosen = text.slice(start, end);
    const [from, inserted] = tool.around
      ? [start, `${tool.around[0]}${chosen}${tool.around[1]}`]
      : linesWith(text, start, end, tool.before ?? '');
    element.setSelectionRange(from, end);
    // The command keeps the list of steps that the person can undo.
    if (!document.execCommand('insertText', false, inserted)) element.setRangeText(inserted, from, end, 'end');
    const left = tool.around?.[0].length ?? 0;
    if (tool.around) element.setSelectionRange(start + left, start + left + chosen.length);
    onChange(element.value);
  };
  return (
    <div class="editor">
      <div class="toolbar" role="toolbar" aria-label="Text">
        {tools.map((tool) => (
          <button
            key={tool.name}
            type="button"
            class="icon-button"
            aria-label={tool.name}
            title={tool.name}
            disabled={isReadOnly}
            onClick={() => apply(tool)}
          >
            <Icon name={tool.icon} />
          </button>
        ))}
      </div>
      <div class="editor-field">
        <Drawn text={text} />
        <textarea
          ref={field}
          aria-label="Text in Markdown"
          dir="auto"
          aria-describedby="editor-help"
          spellcheck
          readOnly={isReadOnly}
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </div>
      <p id="editor-help" class="faint editor-help">
        A pale comment connects its line to a pull request. It is never published.
      </p>
    </div>
  );
}

const Drawn = memo(({ text }: { text: string }): JSX.Element => {
  if (text.length > maxDrawn) return <pre aria-hidden="true">{text}&nbsp;</pre>;
  return (
    <pre aria-hidden="true">
      {text.split(/(<!--[\s\S]*?-->|^#{1,6} .*$)/m).map((part, i) =>
        i % 2 === 0 ? (
          part
        ) : (
          <span key={i} class={part.startsWith('#') ? 'md-heading' : 'md-comment'}>
            {part}
          </span>
        ),
      )}
      &nbsp;
    </pre>
  );
});

/** Returns the lines of a selection with a text before each, and the position of the first line. */
function linesWith(text: string, start: number, end: number, before: string): [from: number, lines: string] {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lines = text.slice(from, end).split('\n');
  return [from, lines.map((line) => before + line).join('\n')];
}
