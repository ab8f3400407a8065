/**
 * Shapes that are needed to generate a draft: a repository's settings for notes, the reason why a change is included in
 * the notes or left out, and how well a range is labeled. `notes/` applies these shapes, `store/` stores the settings,
 * and the API returns all of them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

const closed = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 100 });
/**
 * A heading: one line that is not blank. The pattern does not limit the length of the heading. So if a heading is too
 * long, the error message is about the length and not about the pattern.
 */
const heading = (text: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: '^(?=[^\\r\\n]*\\S)[^\\r\\n]*$', default: text });
const flag = (fallback: boolean) => Type.Boolean({ default: fallback });

/** Sections that a draft may have in addition to highlights and contributors, in the order of spec part 2, rule 3. */
export const SectionNameSchema = Type.Union([
  Type.Literal('breaking'),
  Type.Literal('feature'),
  Type.Literal('fix'),
  Type.Literal('security'),
  Type.Literal('performance'),
  Type.Literal('documentation'),
  Type.Literal('other'),
  Type.Literal('reverted'),
  Type.Literal('issues'),
  Type.Literal('commits'),
  Type.Literal('dependencies'),
]);
export type SectionName = Static<typeof SectionNameSchema>;

/** By which part a suggested version is higher than the last one. */
export const BumpSchema = Type.Union([
  Type.Literal('major'),
  Type.Literal('minor'),
  Type.Literal('patch'),
  Type.Literal('none', { description: 'nothing was merged' }),
]);
export type Bump = Static<typeof BumpSchema>;

/** The meaning of a label in one repository. It replaces the default meaning of the label. */
export const LabelMeaningSchema = Type.Object(
  {
    type: Type.Optional(
      Type.Union([
        Type.Literal('breaking'),
        Type.Literal('feature'),
        Type.Literal('fix'),
        Type.Literal('security'),
        Type.Literal('performance'),
        Type.Literal('documentation'),
        Type.Literal('dependency'),
        Type.Literal('internal'),
      ]),
    ),
    area: Type.Optional(name),
    priority: Type.Optional(Type.Boolean({ description: 'like `priority: high`' })),
    highlight: Type.Optional(Type.Boolean()),
    skip: Type.Optional(Type.Boolean({ description: 'keeps the change out of the notes' })),
  },
  closed,
);
export type LabelMeaning = Static<typeof LabelMeaningSchema>;

/** What a pull request can need for the notes: a kind, an area or a release note. */
export const NoteNeedSchema = Type.Union([Type.Literal('type'), Type.Literal('area'), Type.Literal('note')]);
export type NoteNeed = Static<typeof NoteNeedSchema>;

/**
 * A repository's settings for notes. Every field has a default, and all defaults together are the rules of the spec.
 * The options for titles, order and personas cannot leave out a breaking change.
 */
export const NotesSettingsSchema = Type.Object(
  {
    order: Type.Array(SectionNameSchema, {
      uniqueItems: true,
      maxItems: 11,
      default: [],
      description: 'sections that come first, in this order; the other sections follow in the default order',
    }),
    titles: Type.Object(
      {
        breaking: heading('Breaking Changes'),
        feature: heading('Features'),
        fix: heading('Bug Fixes'),
        security: heading('Security'),
        performance: heading('Performance'),
        documentation: heading('Documentation'),
        other: heading('Other Changes'),
        reverted: heading('Reverted'),
        issues: heading('Closed Issues'),
        commits: heading('Direct Commits'),
        dependencies: heading('Dependencies'),
      },
      { ...closed, default: {} },
    ),
    labels: Type.Record(Type.String({ pattern: '^.{1,100}$' }), LabelMeaningSchema, {
      ...closed,
      maxProperties: 200,
      default: {},
    }),
    excludedLabels: Type.Array(name, { maxItems: 100, default: [] }),
    excludedAuthors: Type.Array(name, { maxItems: 100, default: [] }),
    readVerbs: Type.Boolean({
      default: true,
      description: 'whether the leading words of a title decide the kind of a change, if nothing else does',
    }),
    hiddenAreas: Type.Array(name, {
      maxItems: 100,
      default: ['lib', 'libs', 'src', 'pkg', 'packages', 'internal', 'core', 'common', 'deps', 'misc', 'general'],
      description: 'areas that mean nothing to customers; the draft for customers does not name them',
    }),
    links: Type.Union([Type.Literal('full'), Type.Literal('short')], {
      default: 'full',
      description: '`full` writes `[#1](address)`, `short` writes `#1`, which the host turns into a link',
    }),
    strictPublishing: Type.Boolean({
      default: false,
      description: 'refuses to publish a draft that has conflicts',
    }),
    nextVersion: Type.Object(
      {
        bump: Type.Union([Type.Literal('auto'), Type.Literal('major'), Type.Literal('minor'), Type.Literal('patch')], {
          default: 'auto',
          description: 'how the next version is raised; `auto` = as the changes require',
        }),
        labels: Type.Record(Type.String({ pattern: '^.{1,100}$' }), BumpSchema, {
          ...closed,
          maxProperties: 200,
          default: {},
          description:
            'labels that decide how their change raises the next version, in addition to labels such as `semver: minor`',
        }),
      },
      { ...closed, default: {} },
    ),
    noteCheck: Type.Object(
      {
        mode: Type.Union([Type.Literal('off'), Type.Literal('inform'), Type.Literal('require')], {
          default: 'off',
          description: 'whether pull requests are checked for what the notes need, and whether the check can fail',
        }),
        need: Type.Array(NoteNeedSchema, {
          uniqueItems: true,
          maxItems: 3,
          default: ['type', 'note'],
          description: 'what a pull request needs',
        }),
        noteFor: Type.Array(
          Type.Union([
            Type.Literal('breaking'),
            Type.Literal('feature'),
            Type.Literal('fix'),
            Type.Literal('security'),
            Type.Literal('performance'),
            Type.Literal('documentation'),
            Type.Literal('other'),
          ]),
          {
            uniqueItems: true,
            maxItems: 7,
            default: ['breaking', 'feature'],
            description: 'kinds of changes that need a release note, if `need` contains `note`',
          },
        ),
        exempt: Type.Object(
          {
            authors: Type.Array(name, { maxItems: 100, default: [] }),
            labels: Type.Array(name, { maxItems: 100, default: [] }),
          },
          { ...closed, default: {}, description: 'pull requests that need nothing' },
        ),
        comment: Type.Boolean({
          default: false,
          description: 'whether a comment on the pull request shows the verdict and what the notes will say',
        }),
      },
      { ...closed, default: {} },
    ),
    engineer: Type.Object(
      {
        contributors: flag(true),
        newContributors: flag(true),
        directCommits: flag(true),
        closedIssues: flag(true),
        dependencies: flag(true),
      },
      { ...closed, default: {} },
    ),
    internal: Type.Object({ risks: flag(true), closedIssues: flag(true) }, { ...closed, default: {} }),
    customer: Type.Object(
      {
        bullets: Type.Integer({
          minimum: 0,
          maximum: 1000,
          default: 0,
          description:
            'maximum number of lines, not counting changes that require action and security updates; further changes are only counted; 0 = no maximum',
        }),
        closedIssues: flag(true),
        titles: Type.Object(
          {
            breaking: heading('Action required'),
            security: heading('Security'),
            new: heading('New'),
            improved: heading('Improved'),
            fixed: heading('Fixed'),
          },
          { ...closed, default: {} },
        ),
      },
      { ...closed, default: {} },
    ),
  },
  closed,
);
export type NotesSettings = Static<typeof NotesSettingsSchema>;

/** The rules of the spec. They apply to a repository without settings. */
export const defaultSettings = Value.Default(NotesSettingsSchema, {}) as NotesSettings;

/** The source that decided the kind of a change, from the strongest to the weakest. */
export const KindBySchema = Type.Union([
  Type.Literal('command', { description: 'a command in a comment on the pull request, for example `/kind fix`' }),
  Type.Literal('label', { description: 'a label of the pull request' }),
  Type.Literal('advisory', {
    description:
      'the public id of a security problem, or words such as "security fix", in the title, note or a heading',
  }),
  Type.Literal('note', { description: 'the release note, for example `[BUGFIX]` or `release-note:bug`' }),
  Type.Literal('prefix', { description: 'the prefix of the title or of the first squashed commit' }),
  Type.Literal('issue', { description: 'a label of a linked issue' }),
  Type.Literal('box', { description: 'a ticked box under a heading such as "Type of change"' }),
  Type.Literal('branch', { description: 'the name of the branch, for example `fix/login`' }),
  Type.Literal('verb', { description: 'the leading words of the title or of the release note' }),
]);
export type KindBy = Static<typeof KindBySchema>;

/** How a change was found. */
export const MethodSchema = Type.Union([
  Type.Literal('mergeCommit', { description: 'the merge commit of the pull request is between the tags' }),
  Type.Literal('subject', { description: 'a commit between the tags names the pull request' }),
  Type.Literal('window', { description: 'the change was merged or closed between the dates of the tags' }),
  Type.Literal('date', { description: 'the change was merged or closed between the dates of the range' }),
  Type.Literal('number', { description: 'the number of the change is in the range' }),
  Type.Literal('link', { description: 'a pull request of the range links to the issue' }),
  Type.Literal('commit', { description: 'the commit is between the tags' }),
]);
export type Method = Static<typeof MethodSchema>;

/** Why a change is in the notes, or why it is not. */
export const ReasonSchema = Type.Union([
  Type.Literal('listed', { description: 'has an entry' }),
  Type.Literal('backport', { description: 'a backport of `detail`, listed under that change' }),
  Type.Literal('cherryPicked', {
    description: 'brought into the range by `detail`, a pull request that carries several changes',
  }),
  Type.Literal('dependency', { description: 'listed with the other dependency updates' }),
  Type.Literal('revert', { description: 'reverts `detail`, which is in an earlier release' }),
  Type.Literal('partialRevert', {
    description: 'reverts some commits of `detail`, but not all; `detail` itself stays in the notes',
  }),
  Type.Literal('restored', { description: 'restores `detail`' }),
  Type.Literal('linked', { description: 'a closed issue that is shown in the entry of `detail`' }),
  Type.Literal('closed', {
    description: 'an issue that was closed in the range, but not by a pull request of the range',
  }),
  Type.Literal('direct', { description: 'a commit without a pull request' }),
  Type.Literal('foreign', {
    description:
      'a commit without a pull request; the number `detail` in its subject belongs to another repository, because it is far below all numbers of its time',
  }),
  Type.Literal('reverted', { description: 'reverted by `detail`, which is in the same range' }),
  Type.Literal('reverts', { description: 'reverts `detail`, which is in the same range' }),
  Type.Literal('shipped', { description: 'already part of the release `detail`' }),
  Type.Literal('release', { description: 'only makes a release' }),
  Type.Literal('routine', {
    description: 'routine work without a change of its own, such as a merge of branches or a prepared changelog',
  }),
  Type.Literal('own', {
    description: 'created by this service for the publication `detail`, which the commit trailer names',
  }),
  Type.Literal('label', { description: 'excluded by the label `detail`' }),
  Type.Literal('command', { description: 'excluded by the command `detail` in a comment' }),
  Type.Literal('author', { description: 'excluded, because the settings exclude the author' }),
  Type.Literal('unmerged', { description: 'a pull request that is not merged' }),
  Type.Literal('branch', { description: 'merged into `detail`, which is not the branch of the tags' }),
  Type.Literal('afterCut', {
    description: 'merged into `detail` after the branch of the second tag had been created from it',
  }),
  Type.Literal('open', { description: 'an issue that is still open' }),
  Type.Literal('unresolved', { description: 'an issue closed without being resolved' }),
  Type.Literal('unlisted', {
    description: 'an issue whose pull request `detail` has no entry of its own in the notes',
  }),
  Type.Literal('notCaptured', { description: 'named by a commit, but not captured by this service' }),
]);
export type Reason = Static<typeof ReasonSchema>;

/** A pull request, issue or commit that was considered for a range. */
export const ChangeSchema = Type.Object({
  kind: Type.Union([Type.Literal('pull'), Type.Literal('issue'), Type.Literal('commit')]),
  number: Type.Optional(Type.Integer({ description: 'number of the pull request or issue' })),
  sha: Type.Optional(Type.String({ description: 'hash of the commit' })),
  title: Type.String({ description: 'title, or first line of the commit message, as captured' }),
  included: Type.Boolean(),
  reason: ReasonSchema,
  detail: Type.Optional(
    Type.String({
      description: 'reference for `reason`, such as `#12`, `v1.2.0` or the first digits of a commit hash',
    }),
  ),
  section: Type.Optional(SectionNameSchema),
  kindBy: Type.Optional(KindBySchema),
  mayBreak: Type.Optional(
    Type.Literal(true, {
      description: 'the title announces a removal or the like, but nothing marks the change as breaking',
    }),
  ),
  method: MethodSchema,
});
export type Change = Static<typeof ChangeSchema>;

/** A version for the next release, and the changes that decided it. */
export const SuggestedVersionSchema = Type.Object(
  {
    version: Type.Union([Type.String(), Type.Null()], {
      description:
        'name of the next tag; null if nothing was merged, or if the tags of the repository do not contain versions',
      examples: ['v1.2.0'],
    }),
    bump: BumpSchema,
    because: Type.Array(
      Type.Object(
        {
          number: Type.Optional(Type.Integer({ description: 'number of the pull request', examples: [41] })),
          sha: Type.Optional(Type.String({ description: 'hash of a commit without a pull request' })),
          kind: Type.String({
            description: 'kind of the change; or `label` or `setting`, if one of these forced the bump',
            examples: ['feature'],
          }),
        },
        closed,
      ),
      { description: 'the changes that decided the bump, at most 20' },
    ),
  },
  closed,
);
export type SuggestedVersion = Static<typeof SuggestedVersionSchema>;

const countOf = (example: number, description: string) =>
  Type.Integer({ minimum: 0, examples: [example], description });

/**
 * How well a range is labeled. Only changes with an entry of their own are counted. Dependency updates and reverts have
 * no such entry; dependency updates have a count of their own.
 */
export const DiagnosticsSchema = Type.Object(
  {
    changes: countOf(8, 'number of changes that have their own entry in the notes'),
    dependencyUpdates: countOf(
      1,
      'number of pull requests that the notes list together as dependency updates. They are not among `changes`',
    ),
    unlabelled: countOf(2, 'number of `changes` whose labels do not say what kind of change they are'),
    unlabelledRate: Type.Number({
      minimum: 0,
      maximum: 1,
      examples: [0.25],
      description: '`unlabelled` divided by `changes`, rounded to three decimal places; 0 if there are no changes',
    }),
    withoutArea: countOf(1, 'number of `changes` without an area in their labels or title'),
    undecided: countOf(1, 'number of `changes` that have no kind yet: no source names one'),
    mayBreak: countOf(
      0,
      'number of `changes` whose title announces a removal or the like, but that nothing marks as breaking',
    ),
  },
  closed,
);
export type Diagnostics = Static<typeof DiagnosticsSchema>;
