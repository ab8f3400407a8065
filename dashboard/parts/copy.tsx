/** A text that the person copies to another program. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

export function Copy({ text, label }: { text: string; label: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    // Browsers offer the clipboard only over TLS and on the own machine. Elsewhere the person selects the text.
    await navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => {},
    );
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <span class="copy">
      <code>{text}</code>
      <span class="hidden" role="status">
        {isCopied && 'Copied'}
      </span>
      {navigator.clipboard && (
        <button type="button" class="small" aria-label={`Copy ${label}`} onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      )}
    </span>
  );
}
