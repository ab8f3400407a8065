/** The parts of the form of the notes settings. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { NotesSettings } from '../../../sdk/index.ts';
import { Options } from '../../parts/choice.tsx';
import { choicesOf, Fault, SelectField, TextField, Tick, Ticks } from '../../parts/fields.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Adder, ListField } from '../../parts/list-fields.tsx';
import { firstOf, moved, type PartName, readerFields, wholeOrder } from '../../text/settings.ts';
import { sectionWords } from '../../text/words.ts';

/** The properties of each part: the settings, the function that changes fields of them, and labels of the repository. */
export interface PartProps {
  settings: NotesSettings;
  change: (fields: Partial<NotesSettings>) => void;
  labels: readonly string[];
}

type Section = NotesSettings['order'][number];
type Meaning = NotesSettings['labels'][string];
type Kind = NonNullable<Meaning['type']>;
type Bump = NotesSettings['nextVersion']['labels'][string];

const kinds: Readonly<Record<Kind | '', string>> = {
  '': 'no kind',
  breaking: 'Breaking change',
  feature: 'Feature',
  fix: 'Fix',
  security: 'Security',
  performance: 'Performance',
  documentation: 'Documentation',
  dependency: 'Dependency update',
  internal: 'Internal',
};

const bumps: Readonly<Record<Bump, string>> = { major: 'major', minor: 'minor', patch: 'patch', none: 'none' };

export const partForms: Readonly<Record<PartName, (props: PartProps) => JSX.Element>> = {
  sections: Sections,
  labels: Labels,
  out: LeftOut,
  readers: Readers,
  writing: Writing,
  version: Version,
  check: Check,
};

function Sections({ settings, change }: PartProps): JSX.Element {
  const order = wholeOrder(settings.order);
  const list = useRef<HTMLOListElement>(null);
  /** The button that has moved a section, which keeps the focus. */
  const [pressed, setPressed] = useState<{ name: Section; by: number } | undefined>(undefined);
  const move = (name: Section, by: number): void => {
    setPressed({ name, by });
    change({ order: firstOf(moved(order, order.indexOf(name), by)) });
  };
  useLayoutEffect(() => {
    if (!pressed) return;
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>(`[data-section="${pressed.name}"] button`) ?? [];
    const [up, down] = buttons;
    const wanted = pressed.by < 0 ? up : down;
    (wanted?.disabled ? (wanted === up ? down : up) : wanted)?.focus();
  }, [settings.order, pressed]);
  return (
    <>
      <p class="faint">
        The order and the titles of the sections in the notes for engineers and internal readers. A section without
        changes is left out.
      </p>
      <p class="hidden" aria-live="polite">
        {pressed && `${sectionWords[pressed.name]} is number ${order.indexOf(pressed.name) + 1} of ${order.length}`}
      </p>
      <ol class="section-rows" ref={list}>
        {order.map((name, i) => (
          <li key={name} data-section={name}>
            <span class="row-actions">
              <button
                type="button"
                class="icon-button"
                aria-label={`Move ${sectionWords[name]} up`}
                disabled={i === 0}
                onClick={() => move(name, -1)}
              >
                <Icon name="up" />
              </button>
              <button
                type="button"
                class="icon-button"
                aria-label={`Move ${sectionWords[name]} down`}
                disabled={i === order.length - 1}
                onClick={() => move(name, 1)}
              >
                <Icon name="down" />
              </button>
            </span>
            <TextField
              label={`Title of ${sectionWords[name]}`}
              at={`titles.${name}`}
              isLabelHidden
              value={settings.titles[name]}
              onChange={(title) => change({ titles: { ...settings.titles, [name]: title } })}
            />
          </li>
        ))}
      </ol>
      <Fault at="order" />
    </>
  );
}

function Labels({ settings, change, labels }: PartProps): JSX.Element {
  const set = (name: string, meaning: Meaning | undefined): void => {
    const entries = Object.entries(settings.labels).filter(([other]) => other !== name || meaning !== undefined);
    const known = entries.map(([other, old]) => [other, other === name && meaning ? meaning : old] as const);
    const isNew = meaning && !known.some(([other]) => other === name);
    change({ labels: Object.fromEntries(isNew ? [...known, [name, meaning] as const] : known) });
  };
  return (
    <>
      <p class="faint">
        Usual labels such as <code>bug</code> work without an entry. A label that is listed here has only the meaning
        that you give it.
      </p>
      <ul class="label-rows">
        {Object.entries(settings.labels).map(([name, meaning]) => (
          <li key={name}>
            <fieldset>
              <legend>{name}</legend>
              <LabelFields name={name} meaning={meaning} onChange={(next) => set(name, next)} />
              <button type="button" class="small" aria-label={`Remove ${name}`} onClick={() => set(name, undefined)}>
                Remove
              </button>
              <Fault at={`labels.${name}`} isExact />
            </fieldset>
          </li>
        ))}
      </ul>
      <Fault at="labels" isExact />
      <Adder
        label="Label"
        suggestions={labels}
        onAdd={(name) => {
          if (!Object.hasOwn(settings.labels, name)) set(name, {});
        }}
      />
      {labels.length > 0 && (
        <p class="suggestions">
          <span class="faint">On pull requests, without an entry:</span>
          {labels.slice(0, 12).map((name) => (
            <button
              key={name}
              type="button"
              class="small"
              aria-label={`Add the label ${name}`}
              onClick={() => set(name, {})}
            >
              {name}
            </button>
          ))}
        </p>
      )}
    </>
  );
}

function LabelFields({
  name,
  meaning,
  onChange,
}: {
  name: string;
  meaning: Meaning;
  onChange: (meaning: Meaning) => void;
}): JSX.Element {
  const { type, area, priority, highlight, skip } = meaning;
  /** Leaves out what is not set, so that a mark that is removed again is not a difference. */
  const set = (fields: { [field in keyof Meaning]?: Meaning[field] | undefined }): void => {
    const entries = Object.entries({ ...meaning, ...fields });
    onChange(Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== false)) as Meaning);
  };
  return (
    <>
      <SelectField
        label="Kind"
        at={`labels.${name}.type`}
        options={choicesOf(kinds)}
        value={type ?? ''}
        onChange={(kind) => set({ type: kind === '' ? undefined : kind })}
      />
      <TextField
        label="Area"
        at={`labels.${name}.area`}
        value={area ?? ''}
        onChange={(text) => set({ area: text === '' ? undefined : text })}
      />
      <span class="ticks row">
        <Tick label="Priority" checked={priority === true} onChange={(on) => set({ priority: on })} />
        <Tick label="Highlight" checked={highlight === true} onChange={(on) => set({ highlight: on })} />
        <Tick label="Leave out" checked={skip === true} onChange={(on) => set({ skip: on })} />
      </span>
    </>
  );
}

function LeftOut({ settings, change }: PartProps): JSX.Element {
  return (
    <>
      <ListField
        label="Excluded labels"
        about="Changes with one of these labels are not in the notes."
        at="excludedLabels"
        value={settings.excludedLabels}
        onChange={(excludedLabels) => change({ excludedLabels })}
      />
      <ListField
        label="Excluded authors"
        about="Changes of these people and programs are not in the notes, except breaking changes."
        at="excludedAuthors"
        value={settings.excludedAuthors}
        onChange={(excludedAuthors) => change({ excludedAuthors })}
      />
      <ListField
        label="Hidden areas"
        about="Areas that mean nothing to customers. Their notes do not name them."
        at="hiddenAreas"
        value={settings.hiddenAreas}
        onChange={(hiddenAreas) => change({ hiddenAreas })}
      />
    </>
  );
}

const engineerTexts = {
  contributors: 'Contributors',
  newContributors: 'New contributors',
  directCommits: 'Direct commits',
  closedIssues: 'Closed issues',
  dependencies: 'Dependency updates',
} as const;
const internalTexts = { risks: 'Risks', closedIssues: 'Closed issues' } as const;

function Readers({ settings, change }: PartProps): JSX.Element {
  const { engineer, internal, customer } = settings;
  const { titles } = customer;
  const titleNames = Object.keys(titles) as (keyof typeof titles)[];
  return (
    <>
      <Ticks
        legend="Notes for engineers contain"
        at="engineer"
        options={choicesOf(engineerTexts)}
        chosen={chosenOf(engineer)}
        onChange={(chosen) => change({ engineer: flagsOf(engineerTexts, chosen) })}
        isRow
      />
      <Ticks
        legend="Notes for internal readers contain"
        at="internal"
        options={choicesOf(internalTexts)}
        chosen={chosenOf(internal)}
        onChange={(chosen) => change({ internal: flagsOf(internalTexts, chosen) })}
        isRow
      />
      <fieldset class="stack">
        <legend>Notes for customers</legend>
        <div class="ticks">
          <Tick
            label={`Contain ${readerFields.closedIssues}`}
            checked={customer.closedIssues}
            onChange={(closedIssues) => change({ customer: { ...customer, closedIssues } })}
          />
        </div>
        <TextField
          label="Maximum number of lines"
          about="0 for no maximum. Security updates and changes that need an action are always listed."
          at="customer.bullets"
          value={String(customer.bullets)}
          onChange={(text) => change({ customer: { ...customer, bullets: Number(text) } })}
          input={{ type: 'number', min: 0, max: 1000 }}
        />
        <div class="field-grid">
          {titleNames.map((name) => (
            <TextField
              key={name}
              label={`Title of “${name}”`}
              at={`customer.titles.${name}`}
              value={titles[name]}
              onChange={(title) => change({ customer: { ...customer, titles: { ...titles, [name]: title } } })}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

function chosenOf<Name extends string>(flags: Readonly<Record<Name, boolean>>): Name[] {
  return (Object.keys(flags) as Name[]).filter((name) => flags[name]);
}

function flagsOf<Name extends string>(
  texts: Readonly<Record<Name, string>>,
  chosen: readonly Name[],
): Record<Name, boolean> {
  const names = Object.keys(texts) as Name[];
  return Object.fromEntries(names.map((name) => [name, chosen.includes(name)])) as Record<Name, boolean>;
}

function Writing({ settings, change }: PartProps): JSX.Element {
  return (
    <>
      <fieldset class="choice">
        <legend>Links to pull requests and issues</legend>
        <Options
          name="links"
          texts={{ full: 'Full addresses', short: 'Short, such as #12' }}
          chosen={settings.links}
          onChoose={(links) => change({ links })}
        />
      </fieldset>
      <div class="ticks">
        <Tick
          label="Read the first words of titles"
          about="“Fix …” makes a change a fix, if nothing else says its kind."
          checked={settings.readVerbs}
          onChange={(readVerbs) => change({ readVerbs })}
        />
        <Tick
          label="Publish only without conflicts"
          about="Refuses to publish a draft that is outdated or has conflicts."
          checked={settings.strictPublishing}
          onChange={(strictPublishing) => change({ strictPublishing })}
        />
      </div>
    </>
  );
}

const bumpTexts = {
  auto: 'As the changes require',
  patch: 'Patch',
  minor: 'Minor',
  major: 'Major',
} as const;

function Version({ settings, change, labels }: PartProps): JSX.Element {
  const { nextVersion } = settings;
  const set = (entries: readonly (readonly [string, Bump])[]): void =>
    change({ nextVersion: { ...nextVersion, labels: Object.fromEntries(entries) } });
  const entries = Object.entries(nextVersion.labels);
  return (
    <>
      <fieldset class="choice">
        <legend>The suggested version raises</legend>
        <Options
          name="bump"
          texts={bumpTexts}
          chosen={nextVersion.bump}
          onChoose={(bump) => change({ nextVersion: { ...nextVersion, bump } })}
        />
      </fieldset>
      <ul class="label-rows">
        {entries.map(([name, bump]) => (
          <li key={name} class="version-label">
            <SelectField
              label={name}
              at={`nextVersion.labels.${name}`}
              options={choicesOf(bumps)}
              value={bump}
              onChange={(next) => set(entries.map(([other, old]) => [other, other === name ? next : old]))}
            />
            <button
              type="button"
              class="small"
              aria-label={`Remove ${name}`}
              onClick={() => set(entries.filter(([other]) => other !== name))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <Fault at="nextVersion.labels" isExact />
      <Adder
        label="Label that decides for its change"
        suggestions={labels}
        onAdd={(name) => {
          if (!Object.hasOwn(nextVersion.labels, name)) set([...entries, [name, 'patch']]);
        }}
      />
    </>
  );
}

const modeTexts = { off: 'Off', inform: 'Inform', require: 'Require' } as const;
const needTexts = { type: 'a kind', area: 'an area', note: 'a release note' } as const;
const noteForTexts = {
  breaking: 'Breaking changes',
  feature: 'Features',
  fix: 'Fixes',
  security: 'Security',
  performance: 'Performance',
  documentation: 'Documentation',
  other: 'Other changes',
} as const;

function Check({ settings, change }: PartProps): JSX.Element {
  const { noteCheck } = settings;
  const { mode, need, noteFor, exempt, comment } = noteCheck;
  const set = (fields: Partial<typeof noteCheck>): void => change({ noteCheck: { ...noteCheck, ...fields } });
  return (
    <>
      <fieldset class="choice">
        <legend>Check each pull request for what the notes need</legend>
        <Options name="mode" texts={modeTexts} chosen={mode} onChoose={(next) => set({ mode: next })} />
      </fieldset>
      {mode !== 'off' && (
        <>
          <Ticks
            legend="A pull request needs"
            at="noteCheck.need"
            options={choicesOf(needTexts)}
            chosen={need}
            onChange={(next) => set({ need: next })}
            isRow
          />
          {need.includes('note') && (
            <Ticks
              legend="Kinds that need a release note"
              at="noteCheck.noteFor"
              options={choicesOf(noteForTexts)}
              chosen={noteFor}
              onChange={(next) => set({ noteFor: next })}
              isRow
            />
          )}
          <ListField
            label="Authors without a check"
            at="noteCheck.exempt.authors"
            value={exempt.authors}
            onChange={(authors) => set({ exempt: { ...exempt, authors } })}
          />
          <ListField
            label="Labels without a check"
            at="noteCheck.exempt.labels"
            value={exempt.labels}
            onChange={(names) => set({ exempt: { ...exempt, labels: names } })}
          />
          <div class="ticks">
            <Tick
              label="Comment on the pull request"
              about="The comment shows the verdict and what the notes will say."
              checked={comment}
              onChange={(next) => set({ comment: next })}
            />
          </div>
        </>
      )}
    </>
  );
}
