/**
 * Checks the text of a target URL: the scheme, credentials in the URL, and an IP address as the host. Host names are
 * not resolved here. The API makes this check when it saves a target URL. The check is made again before each request.
 */
import { isIP } from 'node:net';
import { AddressRule } from './address.ts';

/** The settings for outgoing requests. */
export interface EgressOptions {
  /** Networks in CIDR form and addresses that are allowed in addition to public addresses. */
  allow: readonly string[];
  /** Whether plain http to public addresses is allowed. Plain http to the addresses in `allow` is always allowed. */
  allowHttp: boolean;
}

/** Maximum length of a URL, in characters. */
const maxLength = 2048;
const notPublic = 'expected a public address, got one in a private or special network';

/**
 * Decides whether requests to a URL are refused. Only the text of the URL is checked here. The IP addresses of a host
 * name are checked later, when the connection is made.
 * @returns a description of the expected form, without any part of the URL; undefined when the text is acceptable
 */
export function targetFault(url: string, options: EgressOptions): string | undefined {
  if (url.length > maxLength) return `expected at most ${maxLength} characters`;
  if (!URL.canParse(url)) return 'expected an absolute address such as https://example.org/path';
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'expected an address that begins with https://';
  if (username !== '' || password !== '') return 'expected an address without user name and password';
  const verdict = new AddressRule(options.allow).judge(unbracketed(hostname));
  const literal = isIP(unbracketed(hostname)) !== 0;
  if (literal && verdict === 'refused') return notPublic;
  if (protocol === 'http:' && !options.allowHttp && !mayBeAllowed(literal, verdict, options)) {
    return 'expected https://; plain http is not allowed here';
  }
  return undefined;
}

/**
 * Checks a host name or IP address that is used with a protocol other than HTTP. Resolvers convert a number such as
 * `2130706433` to an address (127.0.0.1), so the converted address is checked.
 * @returns why connections to this host are refused, as a description of the expected form; undefined when the text is
 *   acceptable
 */
export function hostFault(host: string, { allow }: Pick<EgressOptions, 'allow'>): string | undefined {
  const url = `http://${host.includes(':') ? `[${host}]` : host}/`;
  if (!URL.canParse(url)) return 'expected the name or IP address of a server';
  const address = unbracketed(new URL(url).hostname);
  if (isIP(address) === 0 || new AddressRule(allow).judge(address) !== 'refused') return undefined;
  return notPublic;
}

/** Removes the brackets around an IPv6 address. Only URLs require the brackets. */
export function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Whether the host may be in an allowed network. The IP address of a name is not known yet. For a name, the result is
 * therefore true if the settings allow at least one network.
 */
function mayBeAllowed(literal: boolean, verdict: string, { allow }: EgressOptions): boolean {
  return literal ? verdict === 'allowed' : allow.length > 0;
}
