/**
 * Merges a person's edits of a draft with a newly generated draft, entry by entry. The base is the generated draft that
 * the person edited. The person's words are always kept, and entries that the person removed stay removed. Entries that
 * are in the new draft but not in the base are added. Text that the person did not change follows the new draft. If
 * both the person and the new draft changed the same text, a comment next to the person's words lists the new words. If
 * the new draft no longer contains a change that the person's words name, a comment gives the reason.
 *
 * The time of a merge grows linearly with the length of the drafts. This is important, because a fold waits for the
 * merge.
 */
import { ServiceError } from '../../foundation/errors.ts';
import type { AbsentChange } from '../../protocol/conflicts.ts';
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
import { namedIn, type ReadComments, readComments, withComments } from './conflicts.ts';
import { restore, type Shortened, shorten } from './equal-runs.ts';
import { spaced } from './gaps.ts';
import { formerNewLinesOf, newLinesOf, withHiddenComment, withoutHiddenComment } from './hidden-comments.ts';

/**
 * Number of entries from which on a section counts as large. Larger sections must not differ in their count, because
 * `shorten` leaves three entries of each run.
 */
const enoughEntries = 3;
/**
 * Maximum total length, in characters, of the sections that are merged again because a person repeated their headings.
 * The limit allows several hundred repetitions of the longest sections. Merging that many repetitions takes a second.
 */
const maxRepeated = 16_777_216;

interface Place {
  block: Block;
  section: Section;
}

/**
 * A draft with its sections by key and its entries by id. If a key or id occurs twice, the first occurrence is used.
 */
interface Draft {
  sections: Section[];
  byKey: Map<string, Section>;
  places: Map<string, Place>;
}

/**
 * Merges three drafts by entry marker.
 * @param generatedBase the draft that was generated before the person edited it
 * @param edited the person's version
 * @param generatedNew the draft that is generated now
 * @param absent reasons why the new draft does not contain changes that the other drafts name. A change without a reason
 *   is not in the range any more
 * @throws ServiceError `tooLarge` when the person repeats the headings of long sections too often
 */
export function mergeBodies(
  generatedBase: string,
  edited: string,
  generatedNew: string,
  absent: readonly AbsentChange[] = [],
): string {
  const [base, mine, next] = [generatedBase, edited, generatedNew].map(unixLines) as Shortened['drafts'];
  if (mine === base) return next;
  const comments = readComments(mine);
  const short = shorten(base, comments.text, next);
  return (
    restore(mergeNamed(short.drafts, comments, absent), short) ??
    mergeNamed([base, comments.text, next], comments, absent)
  );
}

/** Merges like `mergeBodies`, but does not shorten the drafts first. */
export function mergeDrafts(base: string, mine: string, next: string, absent: readonly AbsentChange[] = []): string {
  const comments = readComments(mine);
  return mergeNamed([base, comments.text, next], comments, absent);
}

/**
 * Merges like earlier versions of Tidings, which did not report conflicts. Their records are merged in this way, so that
 * a replay of a journal gives the same drafts.
 */
export function mergeFormerBodies(generatedBase: string, edited: string, generatedNew: string): string {
  const drafts = [generatedBase, edited, generatedNew].map(unixLines) as Shortened['drafts'];
  const [base, mine, next] = drafts;
  if (mine === base) return next;
  if (next === base) return mine;
  const short = shorten(...drafts);
  const merge = (...texts: Shortened['drafts']): string => {
    const [was, own, now] = texts.map(toDraft) as [Draft, Draft, Draft];
    return writeDraft(setApart(new Merge(was, own, now).sections()));
  };
  return restore(merge(...short.drafts), short) ?? merge(...drafts);
}

/**
 * Merges drafts and adds the comments for conflicts.
 * @param comments the person's draft, which was read whole even if the drafts are shortened
 */
function mergeNamed(
  [base, mine, next]: Shortened['drafts'],
  comments: ReadComments,
  absent: readonly AbsentChange[],
): string {
  const { hosts } = comments;
  if (next === base) return withComments(mine, { base, next, hosts, absent, sectionOf: () => undefined });
  const [was, own, now] = [base, mine, next].map(toDraft) as [Draft, Draft, Draft];
  const sections = new Merge(was, own, now, namedIn({ text: mine, hosts })).sections();
  const merged = writeDraft(setApart(spaced(sections, own.sections)));
  const sectionOf = (id: string): string | undefined => was.places.get(id)?.section.key;
  return withComments(merged, { base, next, hosts, absent, sectionOf });
}

class Merge {
  private readonly base: Draft;
  private readonly mine: Draft;
  private readonly next: Draft;
  /** Entries of the merged draft by id. If an id occurs twice, the first occurrence is used. */
  private readonly placed = new Map<string, Link>();
  private readonly chains = new Map<string, Chain>();
  /**
   * Changes that the person's draft names. A named change is not added again. Undefined for a merge by the rules of
   * earlier versions of Tidings.
   */
  private readonly named: ReadonlySet<string> | undefined;
  /** Total length of the sections that were merged again because the person repeated a heading, in characters. */
  private repeated = 0;

  constructor(base: Draft, mine: Draft, next: Draft, named?: ReadonlySet<string>) {
    this.base = base;
    this.mine = mine;
    this.next = next;
    this.named = named;
  }

  sections(): Section[] {
    const merged = this.mine.sections.flatMap((section) => this.mergeSection(section) ?? []);
    const chains = merged.map((section) => this.open(section));
    const all = this.addSections(chains);
    this.addEntries();
    return all.map((chain) => chain.toSection());
  }

  /**
   * Merges a section of the person's version. Returns undefined if the merged section is empty and the new draft does
   * not contain this section.
   */
  private mergeSection(mine: Section): Section | undefined {
    const base = this.base.byKey.get(mine.key);
    if (!base) return { ...mine, blocks: mine.blocks.flatMap((block) => this.mergeBlock(block, mine)) };
    const next = this.next.byKey.get(mine.key);
    if (this.mine.byKey.get(mine.key) !== mine) this.repeat(base, next);
    const blocks = isSameShape(base, mine) ? this.followNext(mine, next) : this.keepShape(mine, base, next);
    if (blocks.length === 0 && !next && mine.heading !== '') return undefined;
    return { ...mine, blocks };
  }

  /**
   * Counts the characters of sections whose heading the person repeated. Each repetition is merged with the same
   * sections, so the result can be much longer than the edited text.
   * @throws ServiceError `tooLarge` when the count is above the maximum
   */
  private repeat(...sections: (Section | undefined)[]): void {
    for (const section of sections) if (section) this.repeated += sizeOf(section);
    if (this.repeated > maxRepeated)
      throw new ServiceError('tooLarge', 'The edited text repeats the headings of long sections too often.');
  }

  /**
   * Merges a section in which the person changed only the words of entries. The new draft decides which blocks the
   * section has and in which order. The person's words are kept.
   */
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

  /**
   * Merges a block of the new draft into the section `mine`. Prose is used unchanged. An entry is merged if the person
   * has the entry in the same section. For any other entry the result is empty, because the entry is placed later.
   */
  private ofNext(block: Block, mine: Section): Block[] {
    if (block.id === null) return [block];
    const place = this.mine.places.get(block.id);
    return place?.section === mine ? this.mergeBlock(place.block, mine) : [];
  }

  /**
   * Merges a section in which the person added, moved or removed blocks. The person's order is kept. Prose that the
   * person did not change follows the new draft.
   */
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
    if (this.named) return withHiddenComment(kept, next ? newLinesOf(base, mine, next, follows) : []);
    const lines = next ? formerNewLinesOf(base, mine, next, follows) : [];
    return lines.length === 0 ? kept : withHiddenComment(kept, lines);
  }

  /**
   * Merges one entry of the person's draft with the new draft. The result is empty when the entry is removed, or when
   * the new draft moves the entry to another section.
   */
  private mergeBlock(block: Block, section: Section): Block[] {
    const base = block.id === null ? undefined : this.base.places.get(block.id);
    if (!base || this.mine.places.get(block.id as string)?.block !== block) return [block];
    const next = this.next.places.get(block.id as string);
    if (blockText(base.block) !== blockText(block)) return [this.besideNext(block, base.block, next?.block)];
    if (!next) return [];
    const moved = base.section.key !== section.key;
    return moved || next.section.key === section.key ? [{ ...next.block, gap: block.gap }] : [];
  }

  /**
   * Returns an entry that the person rewrote. If the new draft changed the entry's words too, the new words follow in a
   * comment.
   */
  private besideNext(mine: Block, base: Block, next: Block | undefined): Block {
    if (!next) return this.named ? withoutHiddenComment(mine) : mine;
    const own = withoutHiddenComment(mine);
    if (blockText(next) === blockText(base)) return this.named && blockText(own) === blockText(next) ? own : mine;
    if (own.lines.length === next.lines.length && blockText(own) === blockText(next)) return own;
    return {
      ...own,
      lines: [...own.lines, ...(withHiddenComment([], next.lines)[0]?.lines ?? []).map((line) => `  ${line}`)],
    };
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

  /**
   * Adds the sections that are new in the new draft. A section that the person removed is added again only if it
   * contains entries that must still be placed.
   */
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

  /**
   * Prepares a section of the new draft for the merged draft. Returns undefined if the section must not be added.
   * @param parents headings of the new draft under which at least one area has content
   */
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
      const home = this.homeOf(next);
      const linkOf = (id: string): Link | undefined => {
        const link = this.placed.get(id);
        return link && (!home || link.chain === home) ? link : undefined;
      };
      const later = followers(next.blocks, linkOf);
      let earlier: Link | undefined;
      next.blocks.forEach((block, index) => {
        if (block.id === null) return;
        if (this.isDue(block)) this.place(block, earlier, later[index], next, home);
        earlier = linkOf(block.id) ?? earlier;
      });
    }
  }

  /**
   * Returns the section of the merged draft for new entries of a section. If the person renamed the heading, this is the
   * section with the most entries of the renamed section. So a single entry that the person moved elsewhere does not
   * decide.
   */
  private homeOf(next: Section): Chain | undefined {
    const own = this.chains.get(next.key);
    if (own || !this.named) return own;
    const counts = new Map<Chain, number>();
    for (const { id } of next.blocks) {
      const chain = id === null ? undefined : this.placed.get(id)?.chain;
      if (chain) counts.set(chain, Math.min((counts.get(chain) ?? 0) + 1, enoughEntries));
    }
    const most = Math.max(...counts.values());
    // In case of a tie, the last section is chosen: highlights, to which entries are moved, are at the top.
    const order = new Map([...this.chains.values()].map((chain, index) => [chain, index]));
    return [...counts]
      .filter(([, count]) => count === most)
      .map(([chain]) => chain)
      .sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      .at(-1);
  }

  /**
   * Inserts an entry after the nearest placed entry that precedes it in the new draft. If no placed entry precedes it,
   * the entry is inserted before the nearest placed entry that follows it. If no placed entry follows it either, the
   * entry is inserted into `home`, in the order of the new draft.
   */
  private place(block: Block, earlier: Link | undefined, later: Link | undefined, next: Section, home?: Chain): void {
    const link = earlier
      ? earlier.chain.putAfter(earlier, block)
      : later
        ? later.chain.putBefore(later, block)
        : home && putInOrder(home, block, next);
    if (link) this.placed.set(block.id as string, link);
  }

  /**
   * Whether an entry must still be placed. An entry must be placed if it is new since the base. An entry that the new
   * draft moved must also be placed, if the person left the entry unchanged. A change that only other lines of the person
   * name is not added, because these lines take the place of its entry.
   */
  private isDue({ id }: Block): boolean {
    if (id === null || this.placed.has(id)) return false;
    return this.mine.places.has(id) || !(this.base.places.has(id) || this.named?.has(id));
  }
}

/** Returns the number of characters of a section. An empty line counts as one character. */
function sizeOf({ blocks }: Section): number {
  let size = 1;
  for (const { lines } of blocks) for (const line of lines) size += line.length + 1;
  return size;
}

/**
 * For each block, returns the nearest later entry that has already been placed. The value is undefined for a block
 * without such an entry.
 */
function followers(blocks: readonly Block[], linkOf: (id: string) => Link | undefined): (Link | undefined)[] {
  const found: (Link | undefined)[] = [];
  let nearest: Link | undefined;
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    found[index] = nearest;
    const id = blocks[index]?.id ?? null;
    nearest = (id === null ? undefined : linkOf(id)) ?? nearest;
  }
  return found;
}

/**
 * Places an entry in the section `home`, which contains no entry of the new draft yet. The entry is placed after as
 * many blocks as there are prose blocks before it in the new draft. Example: after the first two blocks of `home`, if
 * two blocks of prose precede the entry. If no prose follows the entry in the new draft, the entry is appended at the
 * end.
 */
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
