/** Computes the anchors of a Markdown document's headings, as source-code hosts do. */

/** Returns the anchors of all headings. */
export function anchorsOf(document: string): Set<string> {
  // In a fenced block, a line that begins with # is a shell comment, not a heading.
  const prose = document.replace(/^ *(```|~~~)[\s\S]*?^ *\1 *$/gm, '');
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] as string);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, '')
        .replace(/ /g, '-'),
    ),
  );
}
