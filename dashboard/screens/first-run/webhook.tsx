/** The first step: the form of the webhook on the host, with the values of this service. */
import type { ComponentChildren, JSX } from 'preact';
import { Options } from '../../parts/choice.tsx';
import { Copy } from '../../parts/copy.tsx';
import { GithubApp } from '../../parts/github-app.tsx';
import { Icon } from '../../parts/icons.tsx';
import { base } from '../../state/session.ts';
import { type Host, hostName, kindNames } from '../../text/host-access.ts';
import { type FormField, type FormName, formKinds, formNames, webhookForm } from '../../text/webhook-forms.ts';
import { Secret } from './secret.tsx';
import { Step } from './step.tsx';

export function Webhook({
  heading,
  hosts,
  host,
  form,
  isReached,
  onHost,
  onForm,
}: {
  heading: 'h2' | 'h3';
  /** The hosts of the settings; empty if the key may not see them. */
  hosts: readonly Host[];
  host: Host | undefined;
  form: FormName;
  /** Whether a delivery with a valid signature has arrived. */
  isReached: boolean;
  onHost: (origin: string) => void;
  onForm: (form: FormName) => void;
}): JSX.Element {
  const { where, fields, send, typeWarning } = webhookForm(form, location.protocol === 'https:');
  return (
    <Step number={1} title="Webhook" state={isReached ? 'good' : 'open'} heading={heading}>
      <p>The host reports each event of its repositories to this service. No repository is added by hand.</p>
      {hosts.length > 1 && (
        <fieldset class="choice">
          <legend>Host</legend>
          <Options
            name="host"
            texts={Object.fromEntries(hosts.map(({ origin }) => [origin, hostName(origin)]))}
            chosen={host?.origin}
            onChoose={onHost}
          />
        </fieldset>
      )}
      <fieldset class="choice">
        <legend class="hidden">Kind of host</legend>
        <Options name="form" texts={formNames} chosen={form} onChoose={onForm} />
      </fieldset>
      {host && formKinds[form] !== host.kind && <OtherKind host={host} form={form} isOnly={hosts.length === 1} />}
      <p>{where}</p>
      <dl class="facts">
        {fields.map((field) => (
          <Field
            key={field.label}
            of={field}
            typeWarning={typeWarning}
            secret={<Secret key={host?.origin} host={host} />}
          />
        ))}
      </dl>
      <p>{send}</p>
      {form === 'GitHub' && host?.kind === 'github' && host.app === null && (
        <div>
          <p>
            Instead of a webhook per repository or organization, an app sets up the webhook and the access for all
            repositories that it is installed for.
          </p>
          <GithubApp origin={host.origin} />
        </div>
      )}
    </Step>
  );
}

function Field({
  of: { label, value },
  typeWarning,
  secret,
}: {
  of: FormField;
  typeWarning: string;
  secret: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {value === 'address' ? (
          <Address />
        ) : value === 'type' ? (
          <>
            <code>application/json</code>
            <p class="type-warning">
              <Icon name="warning" /> {typeWarning}
            </p>
          </>
        ) : value === 'secret' ? (
          secret
        ) : (
          <>
            {value.text} {value.more && <span class="faint">{value.more}</span>}
          </>
        )}
      </dd>
    </>
  );
}

function Address(): JSX.Element {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  return (
    <>
      <Copy text={`${location.origin}${base}/api/webhooks/scm`} label="the webhook address" />
      {isLocal && (
        <p class="faint">
          Only this machine can reach this address. A host elsewhere needs the public address of the service (setting{' '}
          <code>TIDINGS_PUBLIC_URL</code>).
        </p>
      )}
    </>
  );
}

/** Warns of a form that does not fit the host of the settings: repositories would get the address of another host. */
function OtherKind({ host, form, isOnly }: { host: Host; form: FormName; isOnly: boolean }): JSX.Element {
  return (
    <div class="box warn">
      <Icon name="warning" />
      <div>
        <p>
          The settings name {host.origin}, which is {kindNames[host.kind]}.{' '}
          {isOnly ? `To connect ${form}, set these first and restart the service:` : 'Choose another host above, or'}
        </p>
        <p>
          {isOnly ? (
            <>
              <code>TIDINGS_HOST_ORIGIN=https://{form === 'GitHub' ? 'github.com' : 'git.example.com'}</code>{' '}
              <code>TIDINGS_HOST_KIND={formKinds[form]}</code>
            </>
          ) : (
            <>
              add the host of this kind to <code>TIDINGS_HOSTS</code>.
            </>
          )}
        </p>
      </div>
    </div>
  );
}
