/** Contains the form of a webhook on each kind of host: its fields in their order and with their names. */

export type FormName = 'GitHub' | 'Gitea' | 'Forgejo';

export const formNames: Readonly<Record<FormName, string>> = { GitHub: 'GitHub', Gitea: 'Gitea', Forgejo: 'Forgejo' };

/** Kind of host in the settings that a form belongs to. */
export const formKinds = { GitHub: 'github', Gitea: 'gitea', Forgejo: 'gitea' } as const;

/** The events of GitHub that the notes need, with the names of its form. */
export const githubEvents: readonly string[] = [
  'Branch or tag creation',
  'Branch or tag deletion',
  'Issue comments',
  'Issues',
  'Labels',
  'Pull request review comments',
  'Pull request reviews',
  'Pull requests',
  'Pushes',
  'Repositories',
];

/** A field of a form. The values of `address`, `type` and `secret` are shown with more than a text. */
export interface FormField {
  label: string;
  value: 'address' | 'type' | 'secret' | { text: string; more?: string };
}

export interface WebhookForm {
  /** Warning at the field of the content type. */
  typeWarning: string;
  /** Where the form is on the host. */
  where: string;
  fields: readonly FormField[];
  /** The button to press at the end, and the delivery that the host then sends. */
  send: string;
}

/** Names of the fields that refused deliveries are about. */
export const fieldNames: Readonly<Record<FormName, { address: string; type: string; secret: string; again: string }>> =
  {
    GitHub: {
      address: 'Payload URL',
      type: 'Content type',
      secret: 'Secret',
      again: 'Then open Recent Deliveries and choose Redeliver.',
    },
    Gitea: {
      address: 'Target URL',
      type: 'POST Content Type',
      secret: 'Secret',
      again: 'Then choose Test Delivery at the end of the same page.',
    },
    Forgejo: {
      address: 'Target URL',
      type: 'POST content type',
      secret: 'Secret',
      again: 'Then choose Test delivery at the end of the same page.',
    },
  };

/**
 * Returns the form of a webhook.
 * @param isSecure whether the address of the service begins with `https:`
 */
export function webhookForm(name: FormName, isSecure: boolean): WebhookForm {
  return name === 'GitHub' ? github(isSecure) : gitea(name);
}

function github(isSecure: boolean): WebhookForm {
  const { address, type, secret } = fieldNames.GitHub;
  return {
    where: 'On GitHub open the organization or the repository, then Settings, Webhooks, Add webhook.',
    fields: [
      { label: address, value: 'address' },
      { label: type, value: 'type' },
      { label: secret, value: 'secret' },
      // GitHub shows this field only for addresses with TLS.
      ...(isSecure ? [{ label: 'SSL verification', value: { text: 'Enable SSL verification' } }] : []),
      {
        label: 'Which events would you like to trigger this webhook?',
        value: {
          text: 'Let me select individual events',
          more: `${githubEvents.join(', ')}. “Just the push event” is not enough.`,
        },
      },
      { label: 'Active', value: { text: 'on' } },
    ],
    typeWarning: 'Content type: application/json. GitHub offers the form type first, and its deliveries are refused.',
    send: 'Choose Add webhook. GitHub sends a ping at once.',
  };
}

function gitea(name: 'Gitea' | 'Forgejo'): WebhookForm {
  const { address, type, secret } = fieldNames[name];
  const isGitea = name === 'Gitea';
  return {
    where: `On ${name} open the organization or the repository, then Settings, Webhooks, Add ${isGitea ? 'Webhook' : 'webhook'}, ${name}.`,
    fields: [
      { label: address, value: 'address' },
      { label: isGitea ? 'HTTP Method' : 'HTTP method', value: { text: 'POST' } },
      { label: type, value: 'type' },
      { label: secret, value: 'secret' },
      {
        label: isGitea ? 'Trigger On' : 'Trigger on',
        value: { text: 'All events', more: 'Events that the notes do not need are ignored.' },
      },
      { label: 'Branch filter', value: { text: '*', more: 'or empty' } },
      { label: isGitea ? 'Authorization Header' : 'Authorization header', value: { text: 'empty' } },
      { label: 'Active', value: { text: 'on' } },
    ],
    typeWarning: 'Content type: application/json. Deliveries of the form type are refused.',
    send: `Save the form, open the webhook again and choose Test ${isGitea ? 'Delivery' : 'delivery'}. If ${name} says that it may only call allowed HTTP servers, add the address of this service to ALLOWED_HOST_LIST in its app.ini.`,
  };
}
