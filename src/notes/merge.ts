/**
 * Merges a person's edits of a draft with a newly generated one, entry by entry. The person's words always stand; what is new
 * since the draft they edited is put in once; what they left as it was follows the new draft.
 */
import { type Block, blockText, parseDraft, type Section, writeDraft } from './blocks.ts';

interface Place {
  block: Block;
  section: Section;
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
  return writeDraft(tidy(new Merge(toDraft(base), toDraft(mine), toDraft(next)).sections()));
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
    const base = find(this.base.sections, mine.key);
    if (!base) return { ...mine, blocks: mine.blocks.flatMap((block) => this.mergeBlock(block, mine)) };
    const next = find(this.next.sections, mine.key);
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
    const left = prose(base).map(blockText);
    const fresh = next ? prose(next) : [];
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
    let after = find(merged, '');
    for (const next of this.next.sections) {
      const present = find(merged, next.key);
      if (present) {
        after = present;
        continue;
      }
      const isNew = !find(this.base.sections, next.key);
      const entries = next.blocks.some((block) => this.isDue(block) && !this.neighbour(block, next, merged));
      if (!isNew && !entries) continue;
      const blocks = isNew ? next.blocks.filter(({ id }) => id === null) : [];
      if (!entries && blocks.length === 0 && !this.leadsOn(next)) continue;
      const added = { ...next, gap: Math.max(next.gap, 1), blocks };
      merged.splice(after ? merged.indexOf(after) + 1 : 0, 0, added);
      after = added;
    }
  }

  /** A heading over areas, with nothing of its own. */
  private leadsOn(section: Section): boolean {
    return this.next.sections.some(({ key, blocks }) => key.startsWith(`${section.heading}\n`) && blocks.length > 0);
  }

  private addEntries(merged: Section[]): void {
    for (const next of this.next.sections) {
      for (const block of next.blocks) {
        if (!this.isDue(block)) continue;
        const place = this.neighbour(block, next, merged);
        const home = find(merged, next.key);
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

  /** The nearest entry of the new draft's section that stands in the merged one: in the same section, else wherever it went. */
  private neighbour(
    block: Block,
    next: Section,
    merged: readonly Section[],
  ): { section: Section; block: Block; before: boolean } | undefined {
    const home = find(merged, next.key);
    const at = next.blocks.indexOf(block);
    const earlier = next.blocks.slice(0, at).reverse();
    const later = next.blocks.slice(at + 1);
    for (const [candidates, before] of [
      [earlier, false],
      [later, true],
    ] as const) {
      for (const { id } of candidates) {
        if (id === null) continue;
        const section = merged.find(
          (each) => (home ? each === home : true) && each.blocks.some((found) => found.id === id),
        );
        const found = section?.blocks.find((each) => each.id === id);
        if (section && found) return { section, block: found, before };
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

/** A heading stands apart from what is around it. */
function tidy(sections: Section[]): Section[] {
  return sections.map((section, index) => {
    const [first, ...rest] = section.blocks;
    const gap = index > 0 ? Math.max(section.gap, 1) : section.gap;
    if (!first || section.heading === '') return { ...section, gap };
    return { ...section, gap, blocks: [{ ...first, gap: Math.max(first.gap, 1) }, ...rest] };
  });
}

/** Same entries and prose in the same order, the words of prose included. */
function isSameShape(base: Section, mine: Section): boolean {
  const shape = (section: Section): string =>
    section.blocks.map((block) => block.id ?? `prose ${blockText(block)}`).join('\n\n');
  return shape(base) === shape(mine);
}

function prose(section: Section): Block[] {
  return section.blocks.filter(({ id }) => id === null);
}

function find(sections: readonly Section[], key: string): Section | undefined {
  return sections.find((section) => section.key === key);
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

function unixLines(body: string): string {
  return body.replace(/\r\n?/g, '\n');
}
