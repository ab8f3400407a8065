/**
 * The anchors of a Markdown document's headings, as source-code hosts make them.
 */

/** The anchors of all headings. */
export function anchorsOf(document: string): Set<string> {
  // Lines in a fence that begin with # are comments of a shell.
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
