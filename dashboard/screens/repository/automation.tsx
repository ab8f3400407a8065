/** The automation of a repository: what is drafted and published without a person, and what has happened so far. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  type Automation as AutomationData,
  type Operations,
  PreconditionFailedError,
  type Repository,
} from '../../../sdk/index.ts';
import { EditedNotice } from '../../parts/edited-notice.tsx';
import { Pill, Shown, type Tone } from '../../parts/feedback.tsx';
import { choicesOf, Fault, Fields, faultsOf, SelectField, TextField, Tick, Ticks } from '../../parts/fields.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Question } from '../../parts/question.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { type Edited, storedOf, useEdited } from '../../state/edited.ts';
import { useLoad } from '../../state/load.ts';
import { api, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { type ChannelName, channelNames, channelWords, personaTexts, personaWords } from '../../text/words.ts';

type Rule = Pick<AutomationData, 'onTag' | 'unreleased'>;
type OnTag = NonNullable<Rule['onTag']>;
type Unreleased = NonNullable<Rule['unreleased']>;
type Planned = OnTag['publish'][number];
type Run = AutomationData['runs'][number];

const newOnTag: OnTag = { pattern: 'v*', personas: ['customer'], publish: [] };
const newUnreleased: Unreleased = { personas: ['customer'], refreshMinutes: 60 };

const channelTexts = Object.fromEntries(channelNames.map((name) => [name, channelWords[name].name])) as Record<
  ChannelName,
  string
>;

/** The readers that drafts are written for. */
const personaTicks = { legend: 'Drafts for', options: choicesOf(personaTexts), isRow: true };

const outcomes: Readonly<Record<Run['status'], { word: string; tone: Tone }>> = {
  running: { word: 'under way', tone: 'busy' },
  completed: { word: 'done', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  skipped: { word: 'nothing to do', tone: 'plain' },
};

function ruleOf({ onTag, unreleased }: AutomationData): Rule {
  return { onTag, unreleased };
}

export function Automation({ repository }: { repository: Repository }): JSX.Element {
  const repoId = repository.id;
  const loaded = useLoad(
    'automation',
    (signal) => api().getRepositoryAutomation({ repoId }, { signal }),
    [repoId],
    true,
  );
  const stored = useMemo(() => loaded.data && storedOf(loaded.data, ruleOf(loaded.data)), [loaded.data]);
  const edited = useEdited({ name: `automation-${repoId}`, title: `Automation of ${repository.fullName}` }, stored);
  return (
    <section class="settings-part" aria-label="Automation">
      <header>
        <h2>Automation</h2>
      </header>
      <p class="summary faint">Writes and publishes notes without a person. The rule applies from when it is saved.</p>
      <Shown of={{ ...loaded, data: edited }} lines={4}>
        {(form) => <RuleForm repository={repository} edited={form} onChanged={loaded.reload} />}
      </Shown>
      {loaded.data?.problem && (
        <p class="box bad">
          <Icon name="warning" />
          <span>The drafts of unreleased changes could not be written: {loaded.data.problem}</span>
        </p>
      )}
      {loaded.data && loaded.data.runs.length > 0 && <Runs of={loaded.data.runs} repoId={repoId} />}
    </section>
  );
}

function RuleForm({
  repository,
  edited,
  onChanged,
}: {
  repository: Repository;
  edited: Edited<Rule>;
  onChanged: () => void;
}): JSX.Element {
  const { base, mine, theirs, isDirty, set, rebase, discard } = edited;
  const repoId = repository.id;
  const { error, attempt, forget } = useAttempt();
  const [isRemoving, setRemoving] = useState(false);
  const mayWrite = mayUse('repos:write');
  const change = (fields: Partial<Rule>): void => {
    forget();
    set({ ...mine, ...fields });
  };
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      try {
        const rule = mine as Operations['putRepositoryAutomation']['input'];
        const saved = await api().putRepositoryAutomation({ ...rule, repoId }, { ifMatch: base.etag });
        rebase(storedOf(saved, ruleOf(saved)));
        showToast('The automation is saved.');
      } catch (found) {
        // The newest rule then appears beside that of the form.
        if (!(found instanceof PreconditionFailedError)) throw found;
      }
      onChanged();
    });
  };
  return (
    <form class="rule" noValidate onSubmit={save}>
      {/* Only a whole rule is surely valid. */}
      <EditedNotice of={edited} what="The automation was" joined={{ text: 'Go on with mine', join: () => mine }} />
      <Fields error={error} faults={faultsOf(error, ['onTag', 'unreleased'])}>
        <fieldset disabled={!mayWrite}>
          <legend class="hidden">Rule</legend>
          <div class="rule-part">
            <div class="ticks">
              <Tick
                label="When a release is tagged"
                about="Writes its drafts, and publishes them where you say."
                checked={mine.onTag !== null}
                onChange={(isOn) => change({ onTag: isOn ? (base.value.onTag ?? newOnTag) : null })}
              />
            </div>
            {mine.onTag && <OnTagFields value={mine.onTag} onChange={(onTag) => change({ onTag })} />}
          </div>
          <div class="rule-part">
            <div class="ticks">
              <Tick
                label="Before the release"
                about="Keeps drafts of what is unreleased up to date."
                checked={mine.unreleased !== null}
                onChange={(isOn) => change({ unreleased: isOn ? (base.value.unreleased ?? newUnreleased) : null })}
              />
            </div>
            {mine.unreleased && (
              <UnreleasedFields
                value={mine.unreleased}
                defaultBranch={repository.defaultBranch}
                onChange={(unreleased) => change({ unreleased })}
              />
            )}
          </div>
        </fieldset>
      </Fields>
      {mayWrite && (
        <footer class="row-actions">
          <button type="submit" class="primary" disabled={!isDirty || theirs !== undefined}>
            Save automation
          </button>
          {isDirty && (
            <button type="button" onClick={discard}>
              Discard
            </button>
          )}
          {(base.value.onTag || base.value.unreleased) && (
            <button type="button" class="danger" onClick={() => setRemoving(true)}>
              Remove automation
            </button>
          )}
        </footer>
      )}
      {isRemoving && (
        <Question
          title="Remove the automation?"
          action="Remove"
          onConfirm={async () => {
            const saved = await api().removeRepositoryAutomation({ repoId });
            rebase(storedOf(saved, ruleOf(saved)));
            onChanged();
            setRemoving(false);
          }}
          onClose={() => setRemoving(false)}
        >
          <p>Notes are then written and published by people only. Drafts and publications that exist stay.</p>
        </Question>
      )}
    </form>
  );
}

function OnTagFields({ value, onChange }: { value: OnTag; onChange: (value: OnTag) => void }): JSX.Element {
  const { pattern, personas: chosen, publish } = value;
  const setPublish = (next: readonly Planned[]): void => onChange({ ...value, publish: next });
  const setOne = (at: number, next: Planned): void => setPublish(publish.map((each, i) => (i === at ? next : each)));
  const [first = 'customer'] = chosen;
  return (
    <div class="rule-fields">
      <TextField
        label="Tags"
        about="* matches any text, and ? one character."
        at="onTag.pattern"
        value={pattern}
        onChange={(next) => onChange({ ...value, pattern: next })}
      />
      <Ticks
        {...personaTicks}
        at="onTag.personas"
        chosen={chosen}
        onChange={(next) => onChange({ ...value, personas: next })}
      />
      <ul class="label-rows">
        {publish.map((planned, i) => (
          <li key={i}>
            <fieldset>
              <legend>Publication {i + 1}</legend>
              <PlannedFields at={`onTag.publish.${i}`} value={planned} onChange={(next) => setOne(i, next)} />
              <button
                type="button"
                class="small"
                aria-label={`Remove publication ${i + 1}`}
                onClick={() => setPublish(publish.filter((_, other) => other !== i))}
              >
                Remove
              </button>
              <Fault at={`onTag.publish.${i}`} isExact />
            </fieldset>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => setPublish([...publish, { channel: 'hosted', persona: first }])}>
        Add publication
      </button>
      <Fault at="onTag.publish" isExact />
      <Fault at="onTag" isExact />
    </div>
  );
}

function PlannedFields({
  at,
  value,
  onChange,
}: {
  at: string;
  value: Planned;
  onChange: (value: Planned) => void;
}): JSX.Element {
  const { channel, persona, draft } = value;
  return (
    <>
      <SelectField
        label="Channel"
        at={`${at}.channel`}
        options={choicesOf(channelTexts)}
        value={channel}
        onChange={(next) => onChange({ channel: next, persona })}
      />
      <SelectField
        label="Readers"
        at={`${at}.persona`}
        options={choicesOf(personaTexts)}
        value={persona}
        onChange={(next) => onChange({ ...value, persona: next })}
      />
      {channel === 'scm_releases' && (
        <span class="ticks row">
          <Tick
            label="As a draft release"
            checked={draft === true}
            onChange={(isDraft) => onChange({ channel, persona, ...(isDraft && { draft: true }) })}
          />
        </span>
      )}
      <Fault at={`${at}.draft`} />
    </>
  );
}

function UnreleasedFields({
  value,
  defaultBranch,
  onChange,
}: {
  value: Unreleased;
  defaultBranch: string | null;
  onChange: (value: Unreleased) => void;
}): JSX.Element {
  const { branch, personas: chosen, refreshMinutes } = value;
  const { branch: _, ...withoutBranch } = value;
  return (
    <div class="rule-fields">
      <TextField
        label="Branch"
        about="Empty for the default branch."
        at="unreleased.branch"
        value={branch ?? ''}
        onChange={(next) => onChange(next === '' ? withoutBranch : { ...value, branch: next })}
        input={{ placeholder: defaultBranch ?? '' }}
      />
      <Ticks
        {...personaTicks}
        at="unreleased.personas"
        chosen={chosen}
        onChange={(next) => onChange({ ...value, personas: next })}
      />
      <TextField
        label="Minutes between two writings, at least"
        at="unreleased.refreshMinutes"
        value={String(refreshMinutes)}
        onChange={(text) => onChange({ ...value, refreshMinutes: Number(text) })}
        input={{ type: 'number', min: 1, max: 10_080 }}
      />
      <Fault at="unreleased" isExact />
    </div>
  );
}

function Runs({ of, repoId }: { of: readonly Run[]; repoId: string }): JSX.Element {
  return (
    <>
      <h3>Newest tags</h3>
      <Table columns={['Tag', 'Outcome', 'Publications', 'Time']}>
        {of.map(({ tag, status, rangeId, publications, problem, startedAt }) => (
          <tr key={tag}>
            <th scope="row">
              {rangeId === null ? tag : <Link href={`/app/repositories/${repoId}/ranges?range=${rangeId}`}>{tag}</Link>}
            </th>
            <td>
              <Pill tone={outcomes[status].tone}>{outcomes[status].word}</Pill>{' '}
              {problem !== null && <span class="faint">{problem}</span>}
            </td>
            <td>
              {publications.length === 0 && <span class="faint">none</span>}
              <ul>
                {publications.map(({ channel, persona, draft, publicationId, error }) => {
                  const name = `${channelWords[channel].name}, ${personaWords[persona].name.toLowerCase()}`;
                  return (
                    <li key={channel + persona}>
                      {publicationId === null ? name : <Link href={`/app/publications/${repoId}`}>{name}</Link>}
                      {draft && ' (draft release)'}
                      {error !== null && <span class="bad-text"> {error}</span>}
                    </li>
                  );
                })}
              </ul>
            </td>
            <td>
              <Time at={startedAt} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
