/** Determines the service's own address, which is used in links to the service. */
import type { Settings } from './schema.ts';

/** The message that explains why no mail is sent while TIDINGS_PUBLIC_URL is not set. */
export const mailNeedsPublicUrl =
  'Mail cannot be sent while TIDINGS_PUBLIC_URL is unset, because recipients could not open the link to unsubscribe. ' +
  'Set TIDINGS_PUBLIC_URL to the public address of the service, such as https://notes.example.com, and restart.';

/**
 * Returns the address of the service: the setting `publicUrl`, or `http://HOST:PORT` if this setting is empty. Slashes
 * at the end of the address are removed.
 */
export function publicUrlOf({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return (publicUrl || `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/+$/, '');
}

/**
 * Whether only this machine can reach an address, because its host name is one of the machine itself. An address that
 * is not valid counts as such an address.
 */
export function isOwnMachine(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { hostname } = new URL(url);
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}
