/**
 * The address that clients reach the service at, as links to it are written.
 */
import type { Settings } from './schema.ts';

/** Why no mail is sent while the settings name no address, and what to do about it. */
export const mailNeedsPublicUrl =
  'Mail cannot be sent while TIDINGS_PUBLIC_URL is unset: the link to unsubscribe would lead to an address that recipients cannot ' +
  'reach. Set TIDINGS_PUBLIC_URL to the address that they reach the service at, such as https://notes.example.com, and restart.';

/** The address of the settings, else that of the machine; without a slash at its end. */
export function publicUrlOf({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return (publicUrl || `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/+$/, '');
}
