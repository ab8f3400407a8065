/** The policies of an organization, its tier, and what it has used this month. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../sdk/index.ts';
import { Facts } from '../../parts/facts.tsx';
import { Empty, ErrorBox, Shown } from '../../parts/feedback.tsx';
import { Tick } from '../../parts/fields.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { api, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { type Organization, OrganizationChoice, useChosen, useOrganizations } from './organization-choice.tsx';

type Policy = 'refuseInternalOnPublicChannels' | 'keepPublishedAfterUninstall';

const policies: readonly { name: Policy; label: string; about: string }[] = [
  {
    name: 'refuseInternalOnPublicChannels',
    label: 'Keep notes for engineers and internal readers away from channels that outsiders can read',
    about: 'Publishing such a draft to the hosted page, the support messenger or by email is then refused.',
  },
  {
    name: 'keepPublishedAfterUninstall',
    label: 'Keep published pages after the app is uninstalled',
    about: 'Otherwise the pages are deleted 30 days later, with everything else of the organization.',
  },
];

export function OrganizationSettings(): JSX.Element {
  const loaded = useOrganizations();
  const chosen = useChosen(loaded.data);
  return (
    <section class="settings-part" aria-label="Organization">
      <Shown of={loaded} lines={4}>
        {(organizations) =>
          chosen ? (
            <>
              <header>
                <h2>{chosen.login}</h2>
                <OrganizationChoice {...{ organizations, chosen }} />
              </header>
              <Policies key={chosen.id} of={chosen} onChanged={loaded.reload} />
              <Usage of={chosen} />
            </>
          ) : (
            <Empty title="There is no organization yet.">
              <p>Organizations appear with the first delivery of a host.</p>
            </Empty>
          )
        }
      </Shown>
    </section>
  );
}

function Policies({ of, onChanged }: { of: Organization; onChanged: () => void }): JSX.Element {
  const { error, attempt } = useAttempt();
  const [busy, setBusy] = useState<Policy | undefined>(undefined);
  const change = async (name: Policy, value: boolean): Promise<void> => {
    setBusy(name);
    await attempt(async () => {
      await api().updateOrganisation({ orgId: of.id, [name]: value });
      showToast('The setting is saved.');
    });
    onChanged();
    setBusy(undefined);
  };
  return (
    <fieldset class="ticks">
      <legend class="hidden">Policies</legend>
      {policies.map(({ name, label, about }) => (
        <Tick
          key={name}
          label={label}
          about={about}
          checked={of[name]}
          onChange={(isOn) => void change(name, isOn)}
          input={{ role: 'switch', 'aria-checked': of[name], disabled: busy === name || !mayUse('orgs:write') }}
        />
      ))}
      <Needs scopes={['orgs:write']} to="change this" />
      {error && <ErrorBox error={error} />}
    </fieldset>
  );
}

function Usage({ of: { id, host, tier } }: { of: Organization }): JSX.Element {
  const loaded = useLoad('usage', (signal) => api().getStats({ orgId: id }, { signal }), [
    id,
    mayUse('stats:read') || null,
  ]);
  return (
    <>
      <h3>Use in this month</h3>
      {mayUse('stats:read') ? (
        <Shown of={loaded} lines={4}>
          {(stats) => <Facts of={[['Host', host], ['Tier', tier], ...usageFacts(stats)]} />}
        </Shown>
      ) : (
        <>
          <Facts
            of={[
              ['Host', host],
              ['Tier', tier],
            ]}
          />
          <Needs scopes={['stats:read']} to="see the use" />
        </>
      )}
    </>
  );
}

function usageFacts(stats: Operations['getStats']['reply']): [string, string][] {
  const { apiCalls, usagePercentage, activeRepos, draftsGenerated, publications } = stats;
  const number = (value: number): string => value.toLocaleString('en');
  return [
    ['API requests', `${number(apiCalls)} (${usagePercentage} % of the limit)`],
    ['Repositories', number(activeRepos)],
    ['Drafts written', number(draftsGenerated)],
    ['Publications', number(publications)],
  ];
}
