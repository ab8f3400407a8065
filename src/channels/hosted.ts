/**
 * The channel `hosted`: publishes a page of this service for each version, with feeds. No receiver outside this service
 * is involved. The outcome of the publication contains the page, the fold stores the page, and the gateway serves it.
 */
import { inShownOrder, markOfHeading } from '../foundation/note-marks.ts';
import { type HostedSettings, HostedSettingsSchema } from '../protocol/host-channel-settings.ts';
import type { HostedPage, NoteMark } from '../protocol/hosted.ts';
import { type Channel, DeliveryError, type Note } from './channel.ts';
import { cutToFit, type Rest, restText } from './text/cut.ts';
import { type Block, wordsOf } from './text/document.ts';
import { excerptOf } from './text/excerpt.ts';
import { blocksToHtml } from './text/html.ts';
import { blocksOf } from './text/note-text.ts';

/** The page and its address. The address is null if the note has no public page. */
export interface HostedPayload {
  page: HostedPage;
  url: string | null;
}

/**
 * Maximum size of a page's HTML as a JSON string, in bytes. The HTML and the other fields must fit into one journal
 * record.
 */
const largestHtml = 1_500_000;

export const hosted: Channel<HostedSettings, HostedPayload> = {
  name: 'hosted',
  isPublic: true,
  canLookUp: true,
  settings: HostedSettingsSchema,
  secrets: [],
  render: (note) => ({
    page: pageOf(note),
    url: note.pageUrl,
  }),
  deliver: async ({ page, url }) => {
    if (url === null)
      throw new DeliveryError(
        'refused',
        'The pages of this repository are off (the default for private repositories). Set the visibility of the hosted channel.',
      );
    return { url, reference: page.version, page };
  },
  test: async ({ settings: { visibility = 'same as the repository', key } }) => {
    if (visibility === 'unlisted' && key === undefined)
      throw new DeliveryError('refused', 'Unlisted pages need a key. Without a key, no one can see them.');
    return `Pages need no access to other services. Visibility: ${visibility}.`;
  },
};

function pageOf(note: Note): HostedPage {
  const { version, persona, date } = note;
  const blocks = blocksOf(note);
  const marks = marksOf(blocks);
  return {
    version: version.toWellFormed(),
    persona,
    html: htmlOf(note, blocks),
    excerpt: excerptOf(blocks),
    ...(marks.length > 0 && { marks }),
    date,
  };
}

/** Returns the kinds of changes that the headings name. A heading without text below it is left out. */
function marksOf(blocks: readonly Block[]): NoteMark[] {
  const named = blocks.flatMap((block, index) => {
    if (block.kind !== 'heading') return [];
    const next = blocks[index + 1];
    const isEmpty = next === undefined || (next.kind === 'heading' && next.depth <= block.depth);
    return isEmpty ? [] : [markOfHeading(wordsOf(block.content)) ?? []].flat();
  });
  return inShownOrder(named);
}

/** Returns the HTML of a note. Headings begin at the second level, below the page's own heading. */
function htmlOf(note: Note, blocks: readonly Block[]): string {
  const depths = blocks.flatMap((block) => (block.kind === 'heading' ? [block.depth] : []));
  const headingShift = depths.length === 0 ? 0 : 2 - depths.reduce((lowest, depth) => Math.min(lowest, depth));
  return cutToFit(
    blocks,
    (kept, rest) => blocksToHtml(rest ? [...kept, restBlock(note, rest)] : kept, { headingShift }),
    (html) => Buffer.byteLength(JSON.stringify(html)) <= largestHtml,
  );
}

function restBlock({ compareUrl, persona, repository }: Note, rest: Rest): Block {
  const text = { kind: 'text', text: restText(rest) } as const;
  const isHidden = compareUrl === null || (persona === 'customer' && repository.private);
  return { kind: 'paragraph', content: isHidden ? [text] : [{ kind: 'link', href: compareUrl, content: [text] }] };
}
