/** Determines the service's own address, which is used in links to the service. */
import type { Settings } from './schema.ts';

/** The message that explains why no mail is sent while TIDINGS_PUBLIC_URL is not set. */
export const mailNeedsPublicUrl =
  'Mail cannot be sent while TIDINGS_PUBLIC_URL is unset, because recipients could not open the link to unsubscribe. ' +
  'Set TIDINGS_PUBLIC_URL to the public address of the service, such as https://notes.example.com, and restart.';

/** Returns the public URL of the settings, or `http://HOST:PORT` if it is not set, without a slash at the end. */
export function publicUrlOf({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return (publicUrl || `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/+$/, '');
}
