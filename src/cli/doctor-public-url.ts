/** The part of `tidings doctor` about the public URL: whether it is set, uses https, and leads to this service. */
import { isOwnMachine, publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { exchange } from '../host/exchange.ts';
import { reasonOf } from '../host/probe.ts';
import { instancePath } from '../pages/instance-page.ts';
import { type Finding, withoutUserInfo } from './finding.ts';

const timeoutMs = 5000;
const example = 'like https://notes.example.com';

/** Checks the public URL in the settings, without sending a request. */
export function checkPublicUrl(settings: Settings): Finding {
  return withoutUserInfo(judgeSetting(settings));
}

function judgeSetting(settings: Settings): Finding {
  const url = publicUrlOf(settings);
  if (settings.publicUrl === '') {
    const text = `TIDINGS_PUBLIC_URL is not set. The service therefore sends no mail. Page addresses begin with ${url}, which other machines may not reach. Set TIDINGS_PUBLIC_URL to the address that people use, ${example}`;
    return { verdict: 'note', text };
  }
  if (!URL.canParse(url))
    return {
      verdict: 'fault',
      text: `TIDINGS_PUBLIC_URL ${url} is not a valid address. Set it to an address ${example}`,
    };
  const { protocol } = new URL(url);
  if (isOwnMachine(url))
    return { verdict: 'note', text: `TIDINGS_PUBLIC_URL ${url} cannot be reached from other machines` };
  if (protocol === 'https:') return { verdict: 'ok', text: `TIDINGS_PUBLIC_URL is ${url}` };
  return {
    verdict: 'note',
    text: `TIDINGS_PUBLIC_URL ${url} uses plain http, so API keys are sent unencrypted. Use https`,
  };
}

/**
 * Checks that the public URL leads to one of the gateways. The page `GET /api/instance` must return the same random text
 * (`mark`) that a gateway reports over the journal. The request contains no API key.
 */
export async function checkPublicAddress(settings: Settings, marks: readonly string[] | undefined): Promise<Finding[]> {
  if (marks === undefined || settings.publicUrl === '' || !URL.canParse(settings.publicUrl)) return [];
  const url = `${publicUrlOf(settings)}${instancePath}`;
  const headers = { accept: 'application/json', 'user-agent': 'tidings' };
  try {
    const { status, text } = await exchange({ url, method: 'GET', headers, timeoutMs, signal: undefined });
    return [withoutUserInfo(judge(status, markIn(text), marks, url))];
  } catch (error) {
    const text = `TIDINGS_PUBLIC_URL: ${url} does not answer (${reasonOf(error)}). Check the address, DNS and the proxy. A firewall can also block access from this machine to its own public address`;
    return [withoutUserInfo({ verdict: 'note', text })];
  }
}

function judge(status: number, found: string | undefined, marks: readonly string[], url: string): Finding {
  if (found !== undefined && marks.includes(found))
    return { verdict: 'ok', text: 'TIDINGS_PUBLIC_URL leads to this service' };
  const text =
    found === undefined
      ? `TIDINGS_PUBLIC_URL: ${url} answers ${status}, but the reply is not from Tidings. Configure the proxy to forward all paths to this service`
      : `TIDINGS_PUBLIC_URL: ${url} leads to another Tidings instance. Check the address and the target of the proxy`;
  return { verdict: 'fault', text };
}

function markIn(text: string): string | undefined {
  try {
    const { service, mark } = JSON.parse(text) as { service?: unknown; mark?: unknown };
    return service === 'tidings' && typeof mark === 'string' ? mark : undefined;
  } catch {
    return undefined;
  }
}
