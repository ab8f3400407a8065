/**
 * Keeps the blocks of a merged section as a linked list, so that inserting an entry next to another entry takes
 * constant time. Speed matters, because drafts of thousands of entries are merged inside a fold. `merge.ts` decides
 * where each entry goes.
 */
import type { Block, Section } from './blocks.ts';

/**
 * A block and its place in a section. `block` is mutable, because inserting an entry before the block can change the
 * number of blank lines before it.
 */
export interface Link {
  block: Block;
  chain: Chain;
  before: Link | undefined;
  after: Link | undefined;
}

/** A section whose blocks can be inserted anywhere. */
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

  /** Returns the section with its current blocks. */
  toSection(): Section {
    return { ...this.section, blocks: this.links.map(({ block }) => block) };
  }

  append(block: Block): Link {
    return this.put(block, this.last, undefined);
  }

  /** Inserts an entry after another entry. A blank line separates them when one of the two has several lines. */
  putAfter(place: Link | undefined, block: Block): Link {
    const apart = block.lines.length > 1 || (place?.block.lines.length ?? 1) > 1;
    return this.put({ ...block, gap: apart ? 1 : 0 }, place, place ? place.after : this.first);
  }

  /**
   * Inserts a new entry before an existing entry. The blank lines before the existing entry now precede the new entry.
   */
  putBefore(place: Link, block: Block): Link {
    const link = this.put({ ...block, gap: place.block.gap }, place.before, place);
    place.block = { ...place.block, gap: place.block.lines.length > 1 ? 1 : 0 };
    return link;
  }

  /**
   * Inserts an entry at an index counted from the front. If the index is too large, the entry is appended at the end.
   */
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
