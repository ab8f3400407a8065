/**
 * Checks the settings of channel connections, including rules that a schema cannot express. For example, some settings
 * must be given together, and the service may not send requests to every address. Messages about refused settings never
 * contain the value of a secret.
 */
import { type EgressOptions, hostFault, targetFault } from '../egress/target.ts';
import { type ErrorDetails, invalid, ServiceError } from '../foundation/errors.ts';
import { visibleText } from '../foundation/visible-text.ts';
import { type ChannelName, channelTraits } from '../protocol/channels.ts';
import { pageForms } from '../protocol/host-channel-settings.ts';
import { cleanLogo } from './logo.ts';
import { check, shown } from './validate.ts';

export type Fields = Record<string, unknown>;

/**
 * Checks the addresses of receivers without resolving host names. For example, `https://10.0.0.1` is refused here. A
 * host name is resolved and checked each time a request is sent to this host.
 * @param fields settings that fit the schema of the channel
 * @throws ServiceError `invalid` with one detail for each bad address. The message does not contain the address.
 */
export function assertAddresses(channel: ChannelName, fields: Fields, options: EgressOptions): void {
  const faults: ErrorDetails = {};
  for (const field of channelTraits[channel].addresses) {
    const address = fields[field];
    if (typeof address !== 'string') continue;
    const fault = address.includes('/') ? targetFault(address, options) : hostFault(address, options);
    if (fault !== undefined) faults[field] = fault;
  }
  if (Object.keys(faults).length > 0) throw invalid(faults, 'The settings are invalid.');
}

/**
 * Checks each setting of a channel and the combination of the settings. Returns the checked settings.
 * @throws ServiceError `invalid` with one detail for each bad field. The details do not contain the value of a secret.
 */
export function checkSettings(channel: ChannelName, fields: Fields): Fields {
  const { settings: schema, secrets } = channelTraits[channel];
  try {
    const whole = check<Fields>(schema, fields, 'settings');
    const faults = together[channel]?.(whole) ?? {};
    if (Object.keys(faults).length > 0) throw invalid(faults);
    return rewritten[channel]?.(whole) ?? whole;
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.details) throw error;
    throw invalid(withoutValues(error.details, secrets), 'The settings are invalid.');
  }
}

const maxAddressLength = 254;
/** A sender such as `Notes <notes@example.com>` or `"Notes" <notes@example.com>`. */
const namedSender = /^(?:"([^"]+)"|([^"<]+)) ?<([^<>]+)>$/;

const together: Partial<Record<ChannelName, (fields: Fields) => ErrorDetails>> = {
  workspace_chat: chatFaults,
  email: mailFaults,
  hosted: pageFaults,
};

/** Returns settings in the form in which they are stored. */
const rewritten: Partial<Record<ChannelName, (fields: Fields) => Fields>> = {
  email: withSender,
  hosted: withCleanLogo,
};

function chatFaults({ webhookUrl, botToken, channel }: Fields): ErrorDetails {
  if ((webhookUrl === undefined) === (botToken === undefined))
    return { webhookUrl: 'expected either webhookUrl, or botToken with channel' };
  if (botToken === undefined || channel !== undefined) return {};
  return { channel: 'expected the channel that the bot writes to, got nothing' };
}

function mailFaults({ from, fromName, tls, user, password }: Fields): ErrorDetails {
  const faults: ErrorDetails = {};
  if ((user === undefined) !== (password === undefined)) faults.user = 'expected both user and password, or neither';
  const named = namedSender.exec(String(from));
  if ((named?.[3] ?? String(from)).length > maxAddressLength)
    faults.from = `expected an address of at most ${maxAddressLength} characters`;
  if (named && fromName !== undefined) faults.fromName = 'expected no value, because "from" already contains a name';
  if (tls === 'none' && password !== undefined) faults.tls = 'expected starttls or implicit, because a password is set';
  return faults;
}

/**
 * Splits a sender such as `Notes <notes@example.com>` into `fromName` and `from`. The schema has already checked both
 * parts.
 */
function withSender(fields: Fields): Fields {
  const named = namedSender.exec(String(fields.from));
  const [, quoted, bare = '', from] = named ?? [];
  return named ? { ...fields, from, fromName: (quoted ?? bare).trim() } : fields;
}

/** Letters that are shown as nothing, such as the filler of Hangul. */
const blankLetters = /[\u115f\u1160\u2800\u3164\uffa0]/g;

function isBlank(text: string): boolean {
  return !/[\p{L}\p{N}\p{P}\p{S}]/u.test(visibleText(text).replace(blankLetters, ''));
}

function pageFaults({ visibility, key, title, embedIn, logoAlt, logo }: Fields): ErrorDetails {
  const faults: ErrorDetails = {};
  for (const [field, text] of Object.entries({ title, logoAlt }))
    if (text !== undefined && isBlank(String(text)))
      faults[field] = 'expected a text with visible characters, got only invisible ones';
  if (visibility === 'unlisted' && key === undefined) faults.key = 'expected a key for unlisted pages, got nothing';
  const origins = (embedIn as string[] | undefined) ?? [];
  if (origins.includes('*') && origins.length > 1)
    faults.embedIn = `expected * alone, because it allows all origins, got ${origins.length} items`;
  for (const [index, origin] of origins.entries())
    if (origin !== '*' && !URL.canParse(origin))
      faults[`embedIn.${index}`] = `expected ${pageForms.origin.words}, got ${shown(origin)}`;
  if (logoAlt !== undefined && logo === undefined) faults.logoAlt = 'expected no value, because there is no logo';
  return faults;
}

/**
 * Replaces the logo by the same picture without metadata.
 * @throws ServiceError `invalid` for bytes that are not a picture that may be shown
 */
function withCleanLogo(fields: Fields): Fields {
  if (fields.logo === undefined) return fields;
  const cleaned = cleanLogo(String(fields.logo));
  if ('fault' in cleaned) throw invalid({ logo: cleaned.fault });
  return { ...fields, logo: cleaned.uri };
}

function withoutValues(details: ErrorDetails, secrets: readonly string[]): ErrorDetails {
  const shown = Object.entries(details).map(([field, text]) => {
    const isSecret = secrets.includes(field.split('.')[0] ?? '');
    return [field, isSecret ? text.replace(/, got .*$/s, ', got a value that is not shown') : text];
  });
  return Object.fromEntries(shown);
}
