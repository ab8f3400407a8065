/** The settings of a repository: how its notes are written, with a live example, and what happens without a person. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type NotesSettings, PreconditionFailedError, type Repository } from '../../../sdk/index.ts';
import { EditedNotice } from '../../parts/edited-notice.tsx';
import { Shown } from '../../parts/feedback.tsx';
import { Fields, faultsOf } from '../../parts/fields.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { useShortcut } from '../../shell/keys.ts';
import { useAttempt } from '../../state/attempt.ts';
import { type Edited, storedOf, useEdited } from '../../state/edited.ts';
import { useLoad } from '../../state/load.ts';
import { api, base, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import {
  defaultSettings,
  differences,
  freeLabels,
  isSame,
  merged,
  type PartName,
  partNames,
  partOf,
  partSummary,
  parts,
  pathWords,
  valueWords,
  withPart,
} from '../../text/settings.ts';
import { count } from '../../text/words.ts';
import { Automation } from './automation.tsx';
import { Example } from './settings-example.tsx';
import { partForms } from './settings-parts.tsx';

/** The fields of all parts of the form. */
const shownFields: readonly string[] = partNames.flatMap((name) => parts[name].fields);

export function RepositorySettings({ repository }: { repository: Repository }): JSX.Element {
  const repoId = repository.id;
  const loaded = useLoad('settings', (signal) => api().getRepositorySettings({ repoId }, { signal }), [repoId], true);
  const stored = useMemo(() => loaded.data && storedOf(loaded.data, loaded.data), [loaded.data]);
  const form = { name: `settings-${repoId}`, title: `Settings of ${repository.fullName}` };
  const edited = useEdited<NotesSettings>(form, stored);
  return (
    <>
      <Shown of={{ ...loaded, data: edited }}>
        {(current) => <Form repoId={repoId} edited={current} onStale={loaded.reload} />}
      </Shown>
      <Automation repository={repository} />
      <section class="settings-part" aria-label="Hosted page">
        <header>
          <h2>Hosted page</h2>
        </header>
        <p>
          The title, color and logo of the page with the published notes belong to the channel “Hosted page”. Change
          them in <Link href="/app/settings/channels">Settings</Link>, below Channels.
        </p>
      </section>
    </>
  );
}

function Form({
  repoId,
  edited,
  onStale,
}: {
  repoId: string;
  edited: Edited<NotesSettings>;
  onStale: () => void;
}): JSX.Element {
  const { base: stored, mine, theirs, isDirty, set, rebase, discard } = edited;
  const mayWrite = mayUse('repos:write');
  const { error, attempt, forget } = useAttempt();
  const [tryError, setTryError] = useState<Error | undefined>(undefined);
  const pulls = useLoad('labels', (signal) => api().listPullRequests({ repoId, limit: 100 }, { signal }), [repoId]);
  const faults = { ...faultsOf(tryError, shownFields), ...faultsOf(error, shownFields) };
  const change = (fields: Partial<NotesSettings>): void => {
    forget();
    set({ ...mine, ...fields });
  };
  const save = useCallback(async (): Promise<void> => {
    await attempt(async () => {
      try {
        const saved = await api().putRepositorySettings({ repoId, ...mine }, { ifMatch: stored.etag });
        rebase(storedOf(saved, saved));
        showToast('The settings are saved. Drafts follow when they are written again.');
      } catch (found) {
        // The newest settings then appear beside those of the form.
        if (!(found instanceof PreconditionFailedError)) throw found;
      }
      onStale();
    });
  }, [repoId, mine, stored.etag]);
  useShortcut('save', isDirty && !theirs ? save : undefined);
  const number = differences(stored.value, mine).length;
  return (
    <section class="settings-part" aria-label="Notes">
      <header>
        <h2>Notes</h2>
      </header>
      <p class="summary faint">
        These settings are stored by this service, for this repository only. No file in the repository and no setting of
        the organization changes them. <a href={`${base}/docs/guide#notes-settings`}>More in the guide</a>.
      </p>
      <Needs scopes={['repos:write']} to="change the settings" />
      <EditedNotice
        of={edited}
        what="These settings were"
        joined={{
          text: 'Keep both, and mine where both changed',
          join: (value) => merged(stored.value, mine, value),
        }}
      >
        {theirs && <Theirs base={stored.value} mine={mine} theirs={theirs.value} />}
      </EditedNotice>
      <div class="settings-panes">
        <form
          class="settings-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (isDirty && !theirs) void save();
          }}
        >
          <Fields error={error} faults={faults}>
            <fieldset disabled={!mayWrite}>
              <legend class="hidden">Settings of the notes</legend>
              {partNames.map((name) => (
                <Part
                  key={name}
                  name={name}
                  settings={mine}
                  hasFault={Object.keys(faults).some((field) => partOf(field) === name)}
                  change={change}
                  labels={freeLabels(pulls.data?.pulls ?? [], [
                    ...Object.keys(name === 'version' ? mine.nextVersion.labels : mine.labels),
                  ])}
                />
              ))}
            </fieldset>
          </Fields>
          {mayWrite && (
            <footer class="save-bar">
              <span aria-live="polite">{isDirty ? count(number, 'unsaved change') : 'Everything is saved.'}</span>
              <button type="button" disabled={!isDirty} onClick={discard}>
                Discard
              </button>
              <button type="submit" class="primary" disabled={!isDirty || theirs !== undefined}>
                Save settings
              </button>
            </footer>
          )}
        </form>
        <aside class="example" aria-label="Example">
          <h3>Example</h3>
          {mayUse('drafts:read') && (
            <Example repoId={repoId} settings={mine} version={stored.etag} onError={setTryError} />
          )}
          <Needs scopes={['drafts:read']} to="see an example" />
        </aside>
      </div>
    </section>
  );
}

/** A part of the form that can be folded, with its state in one line. It opens when one of its fields is wrong. */
function Part({
  name,
  settings,
  hasFault,
  change,
  labels,
}: {
  name: PartName;
  settings: NotesSettings;
  hasFault: boolean;
  change: (fields: Partial<NotesSettings>) => void;
  labels: readonly string[];
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (hasFault) setOpen(true);
  }, [hasFault]);
  const Content = partForms[name];
  const restored = withPart(settings, name, defaultSettings);
  const isDefault = isSame(restored, settings);
  return (
    <details class="form-part" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="part-title">{parts[name].title}</span> <span class="faint">{partSummary(name, settings)}</span>
        {hasFault && <span class="bad-text"> has a fault</span>}
      </summary>
      {isOpen && (
        <div class="part-fields">
          <Content settings={settings} change={change} labels={labels} />
          <button
            type="button"
            class="small"
            disabled={isDefault}
            aria-label={`Restore defaults of ${parts[name].title}`}
            onClick={() => change(restored)}
          >
            Restore defaults
          </button>
        </div>
      )}
    </details>
  );
}

/** Lists what someone else has changed meanwhile. */
function Theirs({
  base: before,
  mine,
  theirs,
}: {
  base: NotesSettings;
  mine: NotesSettings;
  theirs: NotesSettings;
}): JSX.Element {
  const own = differences(before, mine);
  return (
    <ul>
      {differences(before, theirs).map(({ path, before: old, after }) => {
        const both = own.find((each) => isSame(each.path, path));
        return (
          <li key={JSON.stringify(path)}>
            {pathWords(path)}: {valueWords(old)} → {valueWords(after)}
            {both && !isSame(both.after, after) && <strong> (yours: {valueWords(both.after)})</strong>}
          </li>
        );
      })}
    </ul>
  );
}
