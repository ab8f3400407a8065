/**
 * The address that clients reach the service at, as links to it are written.
 */
import type { Settings } from './schema.ts';

/** The address of the settings, else that of the machine; without a slash at its end. */
export function publicUrlOf({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return (publicUrl || `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/+$/, '');
}
