/** Requests, replies and contracts of the operations on the automation rule of a repository. */
import { type Static, Type } from '@sinclair/typebox';
import { OnTagSchema, RunPublicationSchema, RunStatusSchema, UnreleasedRuleSchema } from '../automation.ts';
import type { Contracts } from './contract.ts';
import { closed, orNull, publicationId, rangeId, text, time } from './fields.ts';

/** The body of a PUT. A part that is left out or null is off. */
export const AutomationBodySchema = Type.Object(
  { onTag: Type.Optional(orNull(OnTagSchema)), unreleased: Type.Optional(orNull(UnreleasedRuleSchema)) },
  closed,
);

/** The parts of a body that are on. Bodies are checked with this schema, because its errors name the bad fields. */
export const AutomationPartsSchema = Type.Object(
  { onTag: Type.Optional(OnTagSchema), unreleased: Type.Optional(UnreleasedRuleSchema) },
  closed,
);
export type AutomationParts = Static<typeof AutomationPartsSchema>;

const RunSchema = Type.Object(
  {
    tag: text('v1.1.0'),
    startedAt: time,
    endedAt: orNull(time),
    status: RunStatusSchema,
    rangeId: orNull(rangeId),
    publications: Type.Array(
      Type.Object(
        {
          ...RunPublicationSchema.properties,
          publicationId: orNull(publicationId),
          error: orNull(text('The channel workspace_chat is not connected.', 'why the publication was refused')),
        },
        closed,
      ),
    ),
    problem: orNull(text('The tag was deleted.', 'why the run ended early')),
  },
  closed,
);

export const AutomationSchema = Type.Object(
  {
    onTag: orNull(OnTagSchema),
    unreleased: orNull(UnreleasedRuleSchema),
    setAt: orNull(time),
    problem: orNull(text('The range was erased.', 'why the drafts of unreleased changes could not be made')),
    runs: Type.Array(RunSchema, { description: 'the newest runs of tags, at most 20, the newest first' }),
  },
  closed,
);

const example = {
  onTag: { pattern: 'v*', personas: ['customer'], publish: [{ channel: 'hosted', persona: 'customer' }] },
  unreleased: { branch: 'main', personas: ['customer'], refreshMinutes: 60 },
};

export const automationContracts = {
  getRepositoryAutomation: {
    tag: 'Repositories',
    summary: 'Get the automation rule of a repository, with its newest runs',
    replies: { 200: AutomationSchema },
  },
  putRepositoryAutomation: {
    tag: 'Repositories',
    summary: 'Set the rule by which drafts are made and published without a person; a part that is left out is off',
    example,
    body: AutomationBodySchema,
    replies: { 200: AutomationSchema },
    conditional: true,
  },
  removeRepositoryAutomation: {
    tag: 'Repositories',
    summary: 'Switch off the automation of a repository',
    replies: { 200: AutomationSchema },
  },
} satisfies Contracts;
