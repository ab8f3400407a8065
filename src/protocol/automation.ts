/**
 * The shapes of automation: the rule of a repository by which drafts and publications are made without a person, and
 * the run of this rule for each tag. `workers/fold/automation.ts` folds both, and `workers/render/automation.ts` finds
 * what is due.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { ChannelNameSchema } from './channels.ts';
import { type Persona, PersonaSchema, type RangeBounds } from './stored.ts';

const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0 });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const personas = Type.Array(PersonaSchema, {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'personas whose drafts are made',
  examples: [['customer']],
});

/** A publication that a rule makes. */
const RulePublicationSchema = Type.Object(
  {
    channel: ChannelNameSchema,
    persona: PersonaSchema,
    draft: Type.Optional(
      Type.Boolean({ description: 'for `scm_releases`: create a draft release', default: false, examples: [false] }),
    ),
  },
  closed,
);
export type RulePublication = Static<typeof RulePublicationSchema>;

/** The part of a rule that applies when a tag arrives. */
export const OnTagSchema = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the tags that start a run: `*` matches any text and `?` matches one character',
      examples: ['v*'],
    }),
    personas,
    publish: Type.Array(RulePublicationSchema, {
      maxItems: 24,
      default: [],
      description: 'what is published as soon as the drafts are ready; each persona must be one of `personas`',
    }),
  },
  closed,
);
export type OnTag = Static<typeof OnTagSchema>;

/** The part of a rule that keeps drafts up to date before the tag. */
export const UnreleasedRuleSchema = Type.Object(
  {
    branch: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'branch to follow; default: the default branch',
        examples: ['main'],
      }),
    ),
    personas,
    refreshMinutes: Type.Integer({
      minimum: 1,
      maximum: 10_080,
      default: 60,
      description: 'an outdated draft is generated again at most once in this time',
      examples: [60],
    }),
  },
  closed,
);
export type UnreleasedRule = Static<typeof UnreleasedRuleSchema>;

/** A rule. A part that is null is off. */
export const AutomationRuleSchema = Type.Object({
  onTag: orNull(OnTagSchema),
  unreleased: orNull(UnreleasedRuleSchema),
});
export type AutomationRule = Static<typeof AutomationRuleSchema>;

/**
 * The rule of a repository as stored. `newest` is the newest host time that was known when the rule was set: only a tag
 * that was pushed later starts a run. `open` lists the tags whose runs are under way, in the order of their arrival.
 */
const AutomationRecordSchema = Type.Object({
  rule: AutomationRuleSchema,
  setAt: Instant,
  newest: Instant,
  open: Type.Array(Type.String()),
  /** Why the drafts of the unreleased range could not be made; absent if they could. */
  problem: Type.Optional(Type.String()),
});
export type AutomationRecord = Static<typeof AutomationRecordSchema>;

/** A publication of a run. `publicationId` is null if the publication was refused. `error` then says why. */
export const RunPublicationSchema = Type.Object({
  channel: ChannelNameSchema,
  persona: PersonaSchema,
  draft: Type.Boolean(),
  publicationId: orNull(Type.String()),
  error: orNull(Type.String()),
});

export const RunStatusSchema = Type.Union([
  Type.Literal('running', { description: 'its drafts or publications are being made' }),
  Type.Literal('completed', { description: 'all drafts are ready, and all publications were made' }),
  Type.Literal('failed', { description: 'a draft or a publication could not be made' }),
  Type.Literal('skipped', { description: 'nothing is made for this tag' }),
]);

/**
 * The run of a rule for one tag. A tag has at most one run, also if it is deleted and pushed again. `acts` are the
 * names of the acts whose commands are folded. An act is never folded twice.
 */
const AutomationRunSchema = Type.Object({
  tag: Type.String(),
  startedAt: Instant,
  endedAt: orNull(Instant),
  status: RunStatusSchema,
  rangeId: orNull(Type.String()),
  acts: Type.Array(Type.String()),
  publications: Type.Array(RunPublicationSchema),
  problem: orNull(Type.String()),
});
export type AutomationRun = Static<typeof AutomationRunSchema>;

/** The act of a run that a command carries out. */
const AutomationActSchema = Type.Object({ repoId: Type.String(), tag: Type.String(), name: Type.String() });
export type AutomationAct = Static<typeof AutomationActSchema>;

/**
 * Fields of a command that a rule can cause. `by` is absent if a person sent the command. `act` is absent if the
 * command does not belong to the run of a tag.
 */
export const automatic = {
  by: Type.Optional(Type.Literal('automation')),
  act: Type.Optional(AutomationActSchema),
};

/** Finds what the rule of a repository makes due at the time `now`, in milliseconds. */
const AutomationTaskSchema = Type.Object({
  task: Type.Literal('automation'),
  repoId: Type.String(),
  now: Instant,
});
export type AutomationTask = Static<typeof AutomationTaskSchema>;

/** A publication that was refused before its command was made. */
const RefusedPublicationSchema = Type.Composite([
  Type.Object({ tag: Type.String(), name: Type.String() }),
  Type.Omit(RunPublicationSchema, ['publicationId']),
]);
export type RefusedPublication = Static<typeof RefusedPublicationSchema>;

/** The end of a run; `problem` is null if nothing went wrong. `skipped` is true if nothing had to be made. */
const EndedRunSchema = Type.Object({
  tag: Type.String(),
  problem: orNull(Type.String()),
  skipped: Type.Optional(Type.Literal(true)),
});
export type EndedRun = Static<typeof EndedRunSchema>;

/**
 * The place of an act in the run of a tag: the name of the act, and the time at which the run started. They are the
 * same in each attempt, so that each attempt makes the same ids.
 */
export interface ActOfRun {
  tag: string;
  name: string;
  startedAt: number;
}

/** An act that is due. `run` is null for an act about the unreleased range. */
export type DueAct = { run: ActOfRun | null } & (
  | { make: 'range'; bounds: RangeBounds }
  | { make: 'draft'; rangeId: string; persona: Persona; seen?: string[] }
  | { make: 'publication'; draftId: string; rangeId: string; revision: number; what: RulePublication }
);

/**
 * The acts that are due. `waitMs` has the times until the next evaluation, for the runs of tags and for the unreleased range.
 * Null = nothing is left to do.
 */
export interface DueActs {
  acts: DueAct[];
  refused: RefusedPublication[];
  ended: EndedRun[];
  waitMs: { runs: number | null; branch: number | null };
}

/**
 * The outcome of the evaluation of a rule. `row` is the outbox row that requested it. The row is removed if `done` is
 * set. The other rows of the repository stay.
 */
export const AutomatedSchema = Type.Object({
  result: Type.Literal('automated'),
  repoId: Type.String(),
  row: Type.Integer(),
  done: Type.Boolean(),
  refused: Type.Array(RefusedPublicationSchema),
  ended: Type.Array(EndedRunSchema),
  problem: orNull(Type.String()),
});
