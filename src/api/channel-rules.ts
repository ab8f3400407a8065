/**
 * What the schemas of connections cannot say: which settings of a channel go together, and that a secret is not shown when it
 * is refused.
 */
import { type ErrorDetails, invalid, ServiceError } from '../errors.ts';
import { type ChannelName, channelTraits } from '../protocol/channels.ts';
import { check } from './validate.ts';

export type Fields = Record<string, unknown>;

/**
 * Settings of a channel that fit it, each and together.
 * @throws ServiceError `invalid` with one detail for each bad field, without the value of a secret
 */
export function checkSettings(channel: ChannelName, fields: Fields): Fields {
  const { settings: schema, secrets } = channelTraits[channel];
  try {
    const whole = check<Fields>(schema, fields, 'settings');
    const faults = together[channel]?.(whole) ?? {};
    if (Object.keys(faults).length > 0) throw invalid(faults);
    return whole;
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.details) throw error;
    throw invalid(withoutValues(error.details, secrets), 'The settings are invalid.');
  }
}

const together: Partial<Record<ChannelName, (fields: Fields) => ErrorDetails>> = {
  workspace_chat: chatFaults,
  email: mailFaults,
  hosted: pageFaults,
};

function chatFaults({ webhookUrl, botToken, channel }: Fields): ErrorDetails {
  if ((webhookUrl === undefined) === (botToken === undefined))
    return { webhookUrl: 'expected either webhookUrl, or botToken with channel' };
  if (botToken === undefined || channel !== undefined) return {};
  return { channel: 'expected the channel that the bot writes to, got nothing' };
}

function mailFaults({ tls, user, password }: Fields): ErrorDetails {
  const faults: ErrorDetails = {};
  if ((user === undefined) !== (password === undefined)) faults.user = 'expected together with password';
  if (tls === 'none' && password !== undefined) faults.tls = 'expected starttls or implicit, as there is a password';
  return faults;
}

function pageFaults({ visibility, key }: Fields): ErrorDetails {
  if (visibility !== 'unlisted' || key !== undefined) return {};
  return { key: 'expected the key of unlisted pages, got nothing' };
}

function withoutValues(details: ErrorDetails, secrets: readonly string[]): ErrorDetails {
  const shown = Object.entries(details).map(([field, text]) => {
    const isSecret = secrets.includes(field.split('.')[0] ?? '');
    return [field, isSecret ? text.replace(/, got .*$/s, ', got a value that is not shown') : text];
  });
  return Object.fromEntries(shown);
}
