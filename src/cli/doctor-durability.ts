/**
 * Describes how durable the journal on NATS servers of the operator is, for `tidings doctor`: each server that was asked
 * at its monitoring port, and the durability level.
 */
import type { Durability } from '../journal/monitor.ts';
import type { Finding } from './finding.ts';

/** Returns a finding per server and one about the level. */
export function describeDurability({ level, monitors, faults }: Durability): Finding[] {
  const asked = monitors.length > 0;
  const synced = monitors.flatMap((answer) =>
    'syncs' in answer && answer.syncs ? `${answer.name} (nats-server ${answer.version})` : [],
  );
  return [
    ...(synced.length > 0 ? [ok(`NATS servers that call fsync before they acknowledge: ${synced.join(', ')}`)] : []),
    ...faults.map((text): Finding => ({ verdict: 'fault', text })),
    asked && faults.length === 0
      ? ok(`durability level: ${level}`)
      : { verdict: 'note', text: `durability level: ${level}${asked ? '' : `. ${unknown}`}` },
  ];
}

const unknown =
  'Whether the NATS servers call fsync before they acknowledge is not known: set TIDINGS_NATS_MONITOR to their monitoring ports';

function ok(text: string): Finding {
  return { verdict: 'ok', text };
}
