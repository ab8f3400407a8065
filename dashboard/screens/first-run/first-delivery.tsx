/** The second step: waits for the first delivery, and says what to mend when one is refused. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ErrorBox } from '../../parts/feedback.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { Time } from '../../parts/time.tsx';
import { repositoryById } from '../../state/repositories.ts';
import { mayUse } from '../../state/session.ts';
import { type Arrivals, type Delivery, remedyOf } from '../../text/arrivals.ts';
import type { FormName } from '../../text/webhook-forms.ts';
import { Step, type StepState } from './step.tsx';

/** Interval of reading while the step is open. The service sends no live event for a ping. */
const lookMs = 3_000;

export function FirstDelivery({
  heading,
  form,
  arrivals,
  error,
  onLook,
}: {
  heading: 'h2' | 'h3';
  form: FormName;
  arrivals: Arrivals;
  error: Error | undefined;
  onLook: () => void;
}): JSX.Element {
  const { accepted, reached, faulty, dropped } = arrivals;
  const state = stateOf(arrivals);
  /** Repositories appear with their first delivery. */
  const mayNotice = mayUse('webhooks:read') || mayUse('repos:read');
  useEffect(() => {
    if (state === 'good') return;
    const timer = setInterval(() => document.visibilityState === 'visible' && onLook(), lookMs);
    return () => clearInterval(timer);
  }, [state, onLook]);
  return (
    <Step number={2} title="First delivery" state={state} heading={heading}>
      {error && <ErrorBox error={error} again={onLook} />}
      <div class="arrivals" role="status">
        {faulty && <Faulty of={faulty} form={form} />}
        {accepted ? <Accepted of={accepted} /> : dropped && <Dropped of={dropped} />}
        {!accepted && reached && (
          <p class="good-line">
            <Icon name="check" />
            <span>
              The host reaches this service: {reached.reason === 'ping' ? 'its ping' : `its event ${reached.event}`}{' '}
              came <Time at={reached.receivedAt} />.
            </span>
          </p>
        )}
        {!accepted && mayNotice && (
          <p class="waiting">
            <span class="pulse" />
            {reached
              ? 'Waiting for the first event: push a commit, or open a pull request or an issue'
              : 'Waiting for the first delivery'}
          </p>
        )}
      </div>
      <Needs
        scopes={['webhooks:read']}
        to={mayNotice ? 'see here why a delivery was refused' : 'see here whether a delivery has come'}
      />
    </Step>
  );
}

/** A fault that is newer than the last accepted delivery needs attention. */
function stateOf({ accepted, reached, faulty }: Arrivals): StepState {
  if (faulty && !(accepted && accepted.receivedAt > faulty.receivedAt)) return 'bad';
  return accepted ? 'good' : reached ? 'half' : 'open';
}

function Accepted({ of: { repoId, repository, receivedAt } }: { of: NonNullable<Arrivals['accepted']> }): JSX.Element {
  const known = repoId === null ? undefined : repositoryById.value.get(repoId);
  return (
    <p class="good-line">
      <Icon name="check" />
      <span>
        {known ? (
          <Link href={`/app/repositories/${known.id}`}>{known.fullName}</Link>
        ) : (
          <strong>{repository ?? 'A repository'}</strong>
        )}{' '}
        is connected. Its newest delivery came <Time at={receivedAt} />.
      </span>
    </p>
  );
}

function Faulty({ of, form }: { of: Delivery; form: FormName }): JSX.Element {
  const { title, todo } = remedyOf(of, form);
  const { receivedAt, address, hookId } = of;
  return (
    <div class="box bad">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        <p>{todo}</p>
        <p class="faint">
          <Time at={receivedAt} />
          {address !== null && `, from ${address}`}
          {hookId !== null && `, webhook ${hookId}`}.{' '}
          <Link href="/app/deliveries?outcome=refused">All refused deliveries</Link>
        </p>
      </div>
    </div>
  );
}

function Dropped({ of: { repository, remedy } }: { of: Delivery }): JSX.Element {
  return (
    <div class="box warn">
      <Icon name="warning" />
      <div>
        <p>A delivery of {repository ?? 'a repository'} came, but this repository is not connected.</p>
        {remedy !== null && <p>{remedy}.</p>}
      </div>
    </div>
  );
}
