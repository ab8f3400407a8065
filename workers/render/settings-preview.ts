/**
 * The settings preview task: renders drafts of a repository, those of tag ranges or of the unreleased changes, under
 * its stored settings and under the given settings, and returns the differences. It writes nothing.
 */
import { invalid, notFound } from '../../src/foundation/errors.ts';
import { type Composed, composeAll } from '../../src/notes/draft/compose.ts';
import { cachingSource } from '../../src/notes/range/caching-source.ts';
import type { NotesSource } from '../../src/notes/range/source.ts';
import { lastTagRanges, rangeOfTag } from '../../src/notes/range/tag-ranges.ts';
import { personas } from '../../src/protocol/names.ts';
import type { NotesSettings } from '../../src/protocol/notes.ts';
import type { DraftDifference, RangeDifference, SettingsPreview } from '../../src/protocol/settings-preview.ts';
import type { Persona, RangeBounds } from '../../src/protocol/stored.ts';
import type { SettingsPreviewTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { countsOf } from './preview.ts';
import { firstLines, unifiedDiff } from './unified-diff.ts';

/** Maximum number of ranges in a preview. */
const maxRanges = 5;
const flagNames = ['highlights', 'contributors', 'upgradeInstructions'] as const;

/**
 * Compares the drafts of the last tag ranges, of the range of one tag, or of the unreleased changes under two settings.
 * @throws ServiceError `notFound` for a repository that has not sent an event yet, `invalid` for a tag that is not the
 *   end of a range
 */
export function previewSettings(
  partition: Partition,
  { repoId, settings, toTag, withText = false }: SettingsPreviewTask,
  beforeRead: () => void,
): SettingsPreview {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) throw notFound('Repository', repoId);
  const compare = (bounds: RangeBounds) => compareRange(view, settings, bounds, withText, beforeRead);
  if (toTag === null) return { ranges: [compare({ type: 'UNRELEASED' })] };
  if (toTag !== undefined) return { ranges: [compare(boundsOf(view, toTag))] };
  const ranges = lastTagRanges(cachingSource(view), maxRanges);
  return { ranges: ranges.map((range) => compare({ type: 'TAG_BASED', ...range })) };
}

/**
 * Returns the bounds of the range that ends at a tag.
 * @throws ServiceError `invalid` for an unknown tag, and for a tag without a previous release
 */
function boundsOf(view: NotesSource, toTag: string): RangeBounds {
  const bounds = rangeOfTag(cachingSource(view), toTag);
  if (bounds?.type === 'TAG_BASED') return bounds;
  const expected = bounds
    ? 'a tag with a previous release'
    : `a tag of ${view.repository.fullName} with a known commit`;
  throw invalid({ toTag: `expected ${expected}, got ${JSON.stringify(toTag)}` }, 'The query is invalid.');
}

function compareRange(
  view: NotesSource,
  settings: NotesSettings,
  bounds: RangeBounds,
  withText: boolean,
  beforeRead: () => void,
): RangeDifference {
  // Both renders of a range read the same records, so the records are decoded once for both.
  const source = cachingSource(view);
  const stored = composeAll(source, bounds);
  const given = composeAll({ ...source, settings }, bounds);
  const differences = personas.map((persona) => {
    // A comparison reads nothing, so the deadline is checked here.
    beforeRead();
    const text = withText && { text: firstLines(given.drafts[persona].bodyMd) };
    return { ...compareDrafts(persona, stored.drafts[persona], given.drafts[persona]), ...text };
  });
  const { selection } = stored.notes;
  const { fromTag = selection.ends?.from?.name ?? null, toTag = null } = bounds;
  return { fromTag, toTag, ...countsOf(selection), personas: differences };
}

function compareDrafts(persona: Persona, stored: Composed, given: Composed): DraftDifference {
  const changedFlags = flagNames.filter(
    (name) => JSON.stringify(stored.flags[name]) !== JSON.stringify(given.flags[name]),
  );
  const difference = unifiedDiff(
    { name: `stored/${persona}.md`, text: stored.bodyMd },
    { name: `given/${persona}.md`, text: given.bodyMd },
  );
  return { persona, changed: stored.bodyMd !== given.bodyMd, ...difference, changedFlags };
}
