/**
 * Merges a person's edits of a draft with a newly generated one, entry by entry. The person's words always stand; what is new
 * since the draft they edited is put in once; what they left as it was follows the new draft. Where both changed the same, the
 * new words are listed in a comment beside the person's.
 *
 * The time goes with the length of the drafts and not with its square, since a fold waits for it.
 */
import { ServiceError } from '../../foundation/errors.ts';
import { unixLines } from '../change/scan.ts';
import { Chain, type Link } from './block-list.ts';
import {
  type Block,
  blockText,
  isSameShape,
  parseDraft,
  proseOf,
  type Section,
  setApart,
  writeDraft,
} from './blocks.ts';
import { restore, shorten } from './equal-runs.ts';
import { newsOf, withNews, withoutNews } from './hidden-comments.ts';

/** Some hundred repetitions of the longest sections; merging as much takes a second. */
const mostRepeated = 16_777_216;

interface Place {
  block: Block;
  section: Section;
}

/** A draft with its sections by key and its entries by id, the first of each. */
interface Draft {
  sections: Section[];
  byKey: Map<string, Section>;
  places: Map<string, Place>;
}

/**
 * Three-way merge by entry marker.
 * @param generatedBase what was generated before the person edited it
 * @param edited what the person made of it
 * @param generatedNew what is generated now
 * @throws ServiceError `tooLarge` when the person repeats the headings of long sections without end
 */
export function mergeBodies(generatedBase: string, edited: string, generatedNew: string): string {
  const [base, mine, next] = [generatedBase, edited, generatedNew].map(unixLines) as [string, string, string];
  if (mine === base) return next;
  if (next === base) return mine;
  const short = shorten(base, mine, next);
  return restore(mergeDrafts(...short.drafts), short) ?? mergeDrafts(base, mine, next);
}

/** The same merge, of drafts looked at from their first line to their last. */
export function mergeDrafts(base: string, mine: string, next: string): string {
  return writeDraft(setApart(new Merge(toDraft(base), toDraft(mine), toDraft(next)).sections()));
}

class Merge {
  private readonly base: Draft;
  private readonly mine: Draft;
  private readonly next: Draft;
  /** Entries that stand in the merged draft, the first of each. */
  private readonly placed = new Map<string, Link>();
  private readonly chains = new Map<string, Chain>();
  /** Characters that are merged because their heading is repeated. */
  private repeated = 0;

  constructor(base: Draft, mine: Draft, next: Draft) {
    this.base = base;
    this.mine = mine;
    this.next = next;
  }

  sections(): Section[] {
    const merged = this.mine.sections.flatMap((section) => this.mergeSection(section) ?? []);
    const chains = merged.map((section) => this.open(section));
    const all = this.addSections(chains);
    this.addEntries();
    return all.map((chain) => chain.toSection());
  }

  /** A section the person has: theirs, unless all that was left of it is gone upstream. */
  private mergeSection(mine: Section): Section | undefined {
    const base = this.base.byKey.get(mine.key);
    if (!base) return { ...mine, blocks: mine.blocks.flatMap((block) => this.mergeBlock(block, mine)) };
    const next = this.next.byKey.get(mine.key);
    if (this.mine.byKey.get(mine.key) !== mine) this.repeat(base, next);
    const blocks = isSameShape(base, mine) ? this.followNext(mine, next) : this.keepShape(mine, base, next);
    if (blocks.length === 0 && !next && mine.heading !== '') return undefined;
    return { ...mine, blocks };
  }

  /** Each repetition of a heading is merged with the same sections again: text of them, not of the draft, makes that long. */
  private repeat(...sections: (Section | undefined)[]): void {
    for (const section of sections) if (section) this.repeated += sizeOf(section);
    if (this.repeated > mostRepeated)
      throw new ServiceError('tooLarge', 'The edited text repeats the headings of long sections too often.');
  }

  /** Only words of entries changed: the new draft says what stands here and in which order, the person how they read. */
  private followNext(mine: Section, next: Section | undefined): Block[] {
    const chain = new Chain({ ...mine, blocks: (next?.blocks ?? []).flatMap((block) => this.ofNext(block, mine)) });
    const links = new Map(
      chain.links.flatMap((link) => (link.block.id === null ? [] : [[link.block.id, link] as const])),
    );
    let before: Link | undefined;
    for (const block of mine.blocks) {
      if (block.id === null) continue;
      const kept = links.get(block.id);
      if (kept) before = kept;
      else for (const still of this.mergeBlock(block, mine)) before = chain.putAfter(before, still);
    }
    return chain.toSection().blocks;
  }

  /** What of a block of the new draft stands at once: prose, and entries that the person has in the same section. */
  private ofNext(block: Block, mine: Section): Block[] {
    if (block.id === null) return [block];
    const place = this.mine.places.get(block.id);
    return place?.section === mine ? this.mergeBlock(place.block, mine) : [];
  }

  /** The person added, moved or took out something: their order stands, and prose they left follows the new draft. */
  private keepShape(mine: Section, base: Section, next: Section | undefined): Block[] {
    const left = new Map(
      proseOf(base)
        .map((block, index) => [blockText(block), index] as const)
        .reverse(),
    );
    const fresh = next ? proseOf(next) : [];
    const follows = !next || fresh.length === left.size;
    const kept = mine.blocks.flatMap((block) => {
      if (block.id !== null) return this.mergeBlock(block, mine);
      const index = left.get(blockText(block));
      if (index === undefined || !follows) return [block];
      return next ? [{ ...(fresh[index] ?? block), gap: block.gap }] : [];
    });
    return next ? withNews(kept, newsOf(base, mine, next, follows)) : kept;
  }

  /** What becomes of one of the person's entries: none when it goes, or moves with the new draft to another section. */
  private mergeBlock(block: Block, section: Section): Block[] {
    const base = block.id === null ? undefined : this.base.places.get(block.id);
    if (!base || this.mine.places.get(block.id as string)?.block !== block) return [block];
    const next = this.next.places.get(block.id as string);
    if (blockText(base.block) !== blockText(block)) return [this.besideNext(block, base.block, next?.block)];
    if (!next) return [];
    const moved = base.section.key !== section.key;
    return moved || next.section.key === section.key ? [{ ...next.block, gap: block.gap }] : [];
  }

  /** An entry the person rewrote, with the new words beside it where these changed as well. */
  private besideNext(mine: Block, base: Block, next: Block | undefined): Block {
    if (!next || blockText(next) === blockText(base)) return mine;
    const own = withoutNews(mine);
    if (own.lines.length === next.lines.length && blockText(own) === blockText(next)) return own;
    return { ...own, lines: [...own.lines, ...(withNews([], next.lines)[0]?.lines ?? []).map((line) => `  ${line}`)] };
  }

  private open(section: Section): Chain {
    const chain = new Chain(section);
    if (!this.chains.has(section.key)) this.chains.set(section.key, chain);
    for (const link of chain.links) {
      const { id } = link.block;
      if (id !== null && !this.placed.has(id)) this.placed.set(id, link);
    }
    return chain;
  }

  /** Sections that the new draft has and the person never saw; one they took out comes back only for new entries. */
  private addSections(chains: Chain[]): Chain[] {
    const added = new Map<Chain | undefined, Chain[]>();
    const parents = new Set(this.next.sections.flatMap(({ parent, blocks }) => (blocks.length > 0 ? [parent] : [])));
    let after = this.chains.get('');
    for (const next of this.next.sections) {
      const present = this.chains.get(next.key);
      const section = present ? undefined : this.sectionToAdd(next, parents);
      if (section) {
        const others = added.get(after);
        if (others) others.push(this.open(section));
        else added.set(after, [this.open(section)]);
      }
      after = present ?? after;
    }
    return [...(added.get(undefined) ?? []), ...chains.flatMap((chain) => [chain, ...(added.get(chain) ?? [])])];
  }

  /** @param parents headings that something stands under in areas of the new draft */
  private sectionToAdd(next: Section, parents: ReadonlySet<string | null>): Section | undefined {
    const isNew = !this.base.byKey.has(next.key);
    const known = next.blocks.some(({ id }) => id !== null && this.placed.has(id));
    const entries = !known && next.blocks.some((block) => this.isDue(block));
    const prose = isNew ? proseOf(next) : [];
    if (!entries && prose.length === 0 && !(isNew && parents.has(next.key))) return undefined;
    return { ...next, gap: Math.max(next.gap, 1), blocks: prose };
  }

  private addEntries(): void {
    for (const next of this.next.sections) {
      const home = this.chains.get(next.key);
      const standing = (id: string): Link | undefined => {
        const link = this.placed.get(id);
        return link && (!home || link.chain === home) ? link : undefined;
      };
      const later = followers(next.blocks, standing);
      let earlier: Link | undefined;
      next.blocks.forEach((block, index) => {
        if (block.id === null) return;
        if (this.isDue(block)) this.place(block, earlier, later[index], next, home);
        earlier = standing(block.id) ?? earlier;
      });
    }
  }

  /** After the nearest entry before it that stands, else before the nearest after it, else by the order of the new draft. */
  private place(block: Block, earlier: Link | undefined, later: Link | undefined, next: Section, home?: Chain): void {
    const link = earlier
      ? earlier.chain.putAfter(earlier, block)
      : later
        ? later.chain.putBefore(later, block)
        : home && putInOrder(home, block, next);
    if (link) this.placed.set(block.id as string, link);
  }

  /** An entry that is new since the base, or that the person left as it was and the new draft moved. */
  private isDue({ id }: Block): boolean {
    return id !== null && !this.placed.has(id) && (this.mine.places.has(id) || !this.base.places.has(id));
  }
}

/** Characters of a section, counted so that an empty line is one. */
function sizeOf({ blocks }: Section): number {
  let size = 1;
  for (const { lines } of blocks) for (const line of lines) size += line.length + 1;
  return size;
}

/** For each block the nearest later entry that stands. */
function followers(blocks: readonly Block[], standing: (id: string) => Link | undefined): (Link | undefined)[] {
  const found: (Link | undefined)[] = [];
  let nearest: Link | undefined;
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    found[index] = nearest;
    const id = blocks[index]?.id ?? null;
    nearest = (id === null ? undefined : standing(id)) ?? nearest;
  }
  return found;
}

/** In a section without any entry of the new draft: after as much prose as the new draft has before the entry. */
function putInOrder(home: Chain, block: Block, next: Section): Link {
  const at = next.blocks.indexOf(block);
  const leading = next.blocks.slice(0, at).filter(({ id }) => id === null).length;
  const following = next.blocks.slice(at).some(({ id }) => id === null);
  const apart = { ...block, gap: Math.max(block.gap, 1) };
  return following ? home.putAt(leading, apart) : home.append(apart);
}

function toDraft(body: string): Draft {
  const sections = parseDraft(body);
  const byKey = new Map<string, Section>();
  const places = new Map<string, Place>();
  for (const section of sections) {
    if (!byKey.has(section.key)) byKey.set(section.key, section);
    for (const block of section.blocks) {
      if (block.id !== null && !places.has(block.id)) places.set(block.id, { block, section });
    }
  }
  return { sections, byKey, places };
}
