/**
 * What can be told of an address before anything is resolved: its scheme, credentials in it, a literal address as its host.
 * Both the API, when somebody writes such an address down, and each request ask here.
 */
import { isIP } from 'node:net';
import { AddressRule } from './address.ts';

/** Where requests may go. */
export interface EgressOptions {
  /** Networks in CIDR form, or addresses, that are allowed besides public ones. */
  allow: readonly string[];
  /** Whether plain http may go to public addresses; to those of `allow` it always may. */
  allowHttp: boolean;
}

/** Longest address taken, in characters. */
const maxLength = 2048;
const notPublic = 'expected a public address, not one of a private or special network';

/**
 * Why requests may not go to an address, as far as its text tells.
 * @returns what was expected, without a word of the address itself; undefined when nothing speaks against it
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
 * Why connections of other protocols may not go to a host, as far as its text tells. Numbers such as `2130706433` count as
 * the address that resolvers take them for.
 * @returns what was expected; undefined when nothing speaks against it
 */
export function hostFault(host: string, { allow }: Pick<EgressOptions, 'allow'>): string | undefined {
  const url = `http://${host.includes(':') ? `[${host}]` : host}/`;
  if (!URL.canParse(url)) return 'expected the name or the address of a server';
  const address = unbracketed(new URL(url).hostname);
  if (isIP(address) === 0 || new AddressRule(allow).judge(address) !== 'refused') return undefined;
  return notPublic;
}

/** Hosts of addresses in URLs: IPv6 stands in brackets there, and nowhere else. */
export function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** A name is judged when it is resolved: until then it may lie in an allowed network, where there are such. */
function mayBeAllowed(literal: boolean, verdict: string, { allow }: EgressOptions): boolean {
  return literal ? verdict === 'allowed' : allow.length > 0;
}
