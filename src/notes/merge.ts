/**
 * Merges a person's edits of a draft with a newly generated one, entry by entry. The person's words always stand; what is new
 * since the draft they edited is put in once; what they left as it was follows the new draft.
 */
import {
  type Block,
  blockText,
  findSection,
  isSameShape,
  parseDraft,
  proseOf,
  type Section,
  setApart,
  writeDraft,
} from './blocks.ts';
import { unixLines } from './scan.ts';

interface Place {
  block: Block;
  section: Section;
}

/** An entry beside which another is put. */
interface Neighbour extends Place {
  before: boolean;
}

/** A draft with its entries by id, the first of each. */
interface Draft {
  sections: Section[];
  places: Map<string, Place>;
}

/**
 * Three-way merge by entry marker.
 * @param generatedBase what was generated before the person edited it
 * @param edited what the person made of it
 * @param generatedNew what is generated now
 */
export function mergeBodies(generatedBase: string, edited: string, generatedNew: string): string {
  const [base, mine, next] = [generatedBase, edited, generatedNew].map(unixLines) as [string, string, string];
  if (mine === base) return next;
  if (next === base) return mine;
  return writeDraft(setApart(new Merge(toDraft(base), toDraft(mine), toDraft(next)).sections()));
}

class Merge {
  private readonly base: Draft;
  private readonly mine: Draft;
  private readonly next: Draft;
  /** Entries that stand in the merged draft. */
  private readonly placed = new Set<string>();

  constructor(base: Draft, mine: Draft, next: Draft) {
    this.base = base;
    this.mine = mine;
    this.next = next;
  }

  sections(): Section[] {
    const merged = this.mine.sections.flatMap((section) => this.mergeSection(section) ?? []);
    for (const { blocks } of merged) for (const { id } of blocks) if (id !== null) this.placed.add(id);
    this.addSections(merged);
    this.addEntries(merged);
    return merged;
  }

  /** A section the person has: theirs, unless all that was left of it is gone upstream. */
  private mergeSection(mine: Section): Section | undefined {
    const base = findSection(this.base.sections, mine.key);
    if (!base) return { ...mine, blocks: mine.blocks.flatMap((block) => this.mergeBlock(block, mine)) };
    const next = findSection(this.next.sections, mine.key);
    const blocks = isSameShape(base, mine) ? this.followNext(mine, next) : this.keepShape(mine, base, next);
    if (blocks.length === 0 && !next && mine.heading !== '') return undefined;
    return { ...mine, blocks };
  }

  /** Only words of entries changed: the new draft says what stands here and in which order, the person how they read. */
  private followNext(mine: Section, next: Section | undefined): Block[] {
    const blocks = (next?.blocks ?? []).flatMap((block) => {
      if (block.id === null) return [block];
      const place = this.mine.places.get(block.id);
      if (place) return place.section === mine ? this.mergeBlock(place.block, mine) : [];
      return [];
    });
    let before: Block | undefined;
    for (const block of mine.blocks) {
      if (block.id === null) continue;
      const kept = blocks.find(({ id }) => id === block.id);
      if (!kept) for (const still of this.mergeBlock(block, mine)) insertAfter(blocks, before, still);
      before = blocks.find(({ id }) => id === block.id) ?? before;
    }
    return blocks;
  }

  /** The person added, moved or took out something: their order stands, and prose they left follows the new draft. */
  private keepShape(mine: Section, base: Section, next: Section | undefined): Block[] {
    const left = proseOf(base).map(blockText);
    const fresh = next ? proseOf(next) : [];
    return mine.blocks.flatMap((block) => {
      if (block.id !== null) return this.mergeBlock(block, mine);
      const index = left.indexOf(blockText(block));
      if (index === -1 || (next && fresh.length !== left.length)) return [block];
      return next ? [{ ...(fresh[index] as Block), gap: block.gap }] : [];
    });
  }

  /** What becomes of one of the person's entries: none when it goes, or moves with the new draft to another section. */
  private mergeBlock(block: Block, section: Section): Block[] {
    const base = block.id === null ? undefined : this.base.places.get(block.id);
    if (!base || this.mine.places.get(block.id as string)?.block !== block) return [block];
    if (blockText(base.block) !== blockText(block)) return [block];
    const next = this.next.places.get(block.id as string);
    if (!next) return [];
    const moved = base.section.key !== section.key;
    return moved || next.section.key === section.key ? [{ ...next.block, gap: block.gap }] : [];
  }

  /** Sections that the new draft has and the person never saw; one they took out comes back only for new entries. */
  private addSections(merged: Section[]): void {
    let after = findSection(merged, '');
    for (const next of this.next.sections) {
      const present = findSection(merged, next.key);
      const added = present ? undefined : this.sectionToAdd(next, merged);
      if (added) merged.splice(after ? merged.indexOf(after) + 1 : 0, 0, added);
      after = present ?? added ?? after;
    }
  }

  private sectionToAdd(next: Section, merged: readonly Section[]): Section | undefined {
    const isNew = !findSection(this.base.sections, next.key);
    const entries = next.blocks.some((block) => this.isDue(block) && !this.neighbour(block, next, merged));
    const prose = isNew ? proseOf(next) : [];
    if (!entries && prose.length === 0 && !(isNew && this.leadsOn(next))) return undefined;
    return { ...next, gap: Math.max(next.gap, 1), blocks: prose };
  }

  /** A heading over areas, with nothing of its own. */
  private leadsOn(section: Section): boolean {
    return this.next.sections.some(({ key, blocks }) => key.startsWith(`${section.heading}\n`) && blocks.length > 0);
  }

  private addEntries(merged: Section[]): void {
    for (const next of this.next.sections) {
      const home = findSection(merged, next.key);
      for (const block of next.blocks) {
        if (!this.isDue(block)) continue;
        const place = this.neighbour(block, next, home ? [home] : merged);
        if (place) insertAfter(place.section.blocks, place.block, block, place.before);
        else if (home) insertInOrder(home, block, next);
        this.placed.add(block.id as string);
      }
    }
  }

  /** An entry that is new since the base, or that the person left as it was and the new draft moved. */
  private isDue({ id }: Block): boolean {
    return id !== null && !this.placed.has(id) && (this.mine.places.has(id) || !this.base.places.has(id));
  }

  /** The nearest entry of the new draft's section that stands in one of the merged ones. */
  private neighbour(block: Block, next: Section, merged: readonly Section[]): Neighbour | undefined {
    const at = next.blocks.indexOf(block);
    const earlier = next.blocks.slice(0, at).reverse();
    const later = next.blocks.slice(at + 1);
    return this.standing(earlier, merged, false) ?? this.standing(later, merged, true);
  }

  private standing(candidates: Block[], merged: readonly Section[], before: boolean): Neighbour | undefined {
    for (const { id } of candidates) {
      if (id === null || !this.placed.has(id)) continue;
      for (const section of merged) {
        const block = section.blocks.find((each) => each.id === id);
        if (block) return { section, block, before };
      }
    }
    return undefined;
  }
}

/** After the given block; at the front without one; before it where that is asked for. */
function insertAfter(blocks: Block[], place: Block | undefined, block: Block, before = false): void {
  const at = place ? blocks.indexOf(place) + (before ? 0 : 1) : 0;
  blocks.splice(at, 0, {
    ...block,
    gap: before && place ? place.gap : block.lines.length > 1 || (place?.lines.length ?? 1) > 1 ? 1 : 0,
  });
  const follower = blocks[at + 1];
  if (before && follower) blocks[at + 1] = { ...follower, gap: follower.lines.length > 1 ? 1 : 0 };
}

/** In a section without any entry of the new draft: after as much prose as the new draft has before the entry. */
function insertInOrder(home: Section, block: Block, next: Section): void {
  const leading = next.blocks.slice(0, next.blocks.indexOf(block)).filter(({ id }) => id === null).length;
  const following = next.blocks.slice(next.blocks.indexOf(block)).some(({ id }) => id === null);
  const at = following ? Math.min(leading, home.blocks.length) : home.blocks.length;
  home.blocks.splice(at, 0, { ...block, gap: Math.max(block.gap, 1) });
}

function toDraft(body: string): Draft {
  const sections = parseDraft(body);
  const places = new Map<string, Place>();
  for (const section of sections) {
    for (const block of section.blocks) {
      if (block.id !== null && !places.has(block.id)) places.set(block.id, { block, section });
    }
  }
  return { sections, places };
}
