/** The frame around all screens: rail, jump box, messages, and the screen of the address. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Route, Switch, useLocation } from 'wouter-preact';
import { late } from '../parts/late.tsx';
import { Screen } from '../parts/screen.tsx';
import { Connect } from '../screens/connect.tsx';
import { Deliveries } from '../screens/deliveries.tsx';
import { Draft } from '../screens/draft/draft.tsx';
import { Inbox } from '../screens/inbox.tsx';
import { Missing } from '../screens/missing.tsx';
import { Publications } from '../screens/publications.tsx';
import { Repositories } from '../screens/repositories.tsx';
import { Repository } from '../screens/repository/repository.tsx';
import { Settings } from '../screens/settings/settings.tsx';
import { Statistics } from '../screens/statistics/statistics.tsx';
import { forgetCounts } from '../state/activity.ts';
import { forgetTexts, resumeTexts } from '../state/draft-text.ts';
import { followService, turnOf } from '../state/live.ts';
import { forgetData } from '../state/load.ts';
import { forgetNames } from '../state/names.ts';
import { forgetRepositories, loadRepositories } from '../state/repositories.ts';
import { session } from '../state/session.ts';
import { screenTitle } from '../state/title.ts';
import { claimInput, dropAllInput } from '../state/unsaved.ts';
import { Help } from './help.tsx';
import { JumpBox } from './jump-box.tsx';
import { listenToKeys } from './keys.ts';
import { Rail } from './rail.tsx';
import { ToastList } from './toast-list.tsx';

const CreatedApp = late(async () => (await import('../screens/later.ts')).CreatedApp);

export function Shell(): JSX.Element {
  // Before the first form shows what is kept.
  useState(claimInput);
  const [path, navigate] = useLocation();
  const change = turnOf({ events: ['repository'] });
  useEffect(() => followService(), []);
  useEffect(resumeTexts, []);
  useEffect(() => forgetSession, []);
  // The keys work as soon as the screen is visible.
  useLayoutEffect(() => listenToKeys(navigate), [navigate]);
  useEffect(() => void loadRepositories(), [change]);
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: a link to a part of this page, which must not change the address */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <p class="hidden" aria-live="polite">
        {screenTitle.value}
      </p>
      <div class="shell">
        <Rail />
        <Switch>
          <Route path="/" component={Inbox} />
          <Route path="/app/repositories" component={Repositories} />
          <Route path="/app/repositories/:repoId/:tab?">
            {({ repoId, tab }) => <Repository key={repoId} repoId={repoId} tab={tab ?? 'changes'} />}
          </Route>
          <Route path="/app/drafts/:draftId">{({ draftId }) => <Draft key={draftId} draftId={draftId} />}</Route>
          <Route path="/app/publications/:repoId?">{({ repoId }) => <Publications repoId={repoId} />}</Route>
          <Route path="/app/connect" component={Connect} />
          <Route path="/app/deliveries/:tab?/:endpointId?">
            {({ tab, endpointId }) => <Deliveries tab={tab ?? 'hosts'} endpointId={endpointId} />}
          </Route>
          <Route path="/app/statistics" component={Statistics} />
          <Route path="/app/settings/:part?">{({ part }) => <Settings part={part} />}</Route>
          <Route path="/app/github-app">
            <Screen title="GitHub App">
              <CreatedApp />
            </Screen>
          </Route>
          <Route>
            <Missing key={path} />
          </Route>
        </Switch>
      </div>
      <ToastList />
      <JumpBox />
      <Help />
    </>
  );
}

/** Forgets what this session has shown. Input that was not saved stays if the session has ended by itself. */
function forgetSession(): void {
  forgetData();
  forgetCounts();
  forgetNames();
  forgetRepositories();
  forgetTexts();
  if (session.peek() === 'out') dropAllInput();
}

/** Moves the focus without a change of the address. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
