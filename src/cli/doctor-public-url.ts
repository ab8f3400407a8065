/**
 * The part of `tidings doctor` about the public address: without it no mail is sent, and links lead to this machine.
 */
import { publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import type { Finding } from './finding.ts';

/** Whether the settings name the address that readers and recipients of mail reach the service at. */
export function checkPublicUrl(settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>): Finding {
  const url = publicUrlOf(settings);
  if (settings.publicUrl !== '') return { verdict: 'ok', text: `public address: ${url}` };
  return {
    verdict: 'note',
    text: `public address: TIDINGS_PUBLIC_URL is unset: mail is refused, and addresses of pages begin with ${url}: set it to the address that people reach the service at`,
  };
}
