/**
 * The blocks of a merged section as a chain, so that entries are put in beside others in constant time: a draft of thousands
 * of entries is merged inside a fold. Which entry goes where is decided in `merge.ts`.
 */
import type { Block, Section } from './blocks.ts';

/** A block in its section; mutable, since putting one in may set another apart. */
export interface Link {
  block: Block;
  chain: Chain;
  before: Link | undefined;
  after: Link | undefined;
}

/** A section whose blocks can be put in anywhere. */
export class Chain {
  readonly section: Section;
  private first: Link | undefined;
  private last: Link | undefined;

  constructor(section: Section) {
    this.section = section;
    for (const block of section.blocks) this.append(block);
  }

  get links(): Link[] {
    const links: Link[] = [];
    for (let link = this.first; link; link = link.after) links.push(link);
    return links;
  }

  /** The section with its blocks as they stand now. */
  toSection(): Section {
    return { ...this.section, blocks: this.links.map(({ block }) => block) };
  }

  append(block: Block): Link {
    return this.put(block, this.last, undefined);
  }

  /** Puts an entry after another, in its style: those of several lines stand apart. */
  putAfter(place: Link | undefined, block: Block): Link {
    const apart = block.lines.length > 1 || (place?.block.lines.length ?? 1) > 1;
    return this.put({ ...block, gap: apart ? 1 : 0 }, place, place ? place.after : this.first);
  }

  /** Puts an entry before another, which keeps its distance to what stood there. */
  putBefore(place: Link, block: Block): Link {
    const link = this.put({ ...block, gap: place.block.gap }, place.before, place);
    place.block = { ...place.block, gap: place.block.lines.length > 1 ? 1 : 0 };
    return link;
  }

  /** Puts an entry at a place counted from the front, at the end beyond the last. */
  putAt(index: number, block: Block): Link {
    let follower = this.first;
    for (let at = 0; follower && at < index; at += 1) follower = follower.after;
    return follower ? this.put(block, follower.before, follower) : this.append(block);
  }

  private put(block: Block, before: Link | undefined, after: Link | undefined): Link {
    const link: Link = { block, chain: this, before, after };
    if (before) before.after = link;
    else this.first = link;
    if (after) after.before = link;
    else this.last = link;
    return link;
  }
}
