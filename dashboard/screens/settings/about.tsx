/** Facts about the service: versions, durability, limits, and where to read more. */
import type { JSX } from 'preact';
import type { Operations } from '../../../sdk/index.ts';
import { Facts } from '../../parts/facts.tsx';
import { Shown } from '../../parts/feedback.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { api, base } from '../../state/session.ts';

type Service = Operations['getAbout']['reply'];

const durabilities: Readonly<Record<NonNullable<Service['durability']>, string>> = {
  'process-crash': 'a killed process, but perhaps not a power cut',
  'power-loss': 'a killed process and a power cut',
  'replicated-unsynced': 'the loss of a machine, but perhaps not a power cut of several',
  replicated: 'the loss of a machine',
};

const limitNames: readonly (readonly [name: keyof Service['limits'], label: string])[] = [
  ['apiPerMinute', 'API requests of a key per minute'],
  ['apiPerHour', 'API requests of a key per hour'],
  ['apiPerDay', 'API requests per day'],
  ['webhooksPerMinute', 'Deliveries per minute without delay'],
  ['webhooksPerHour', 'Deliveries per hour without delay'],
  ['keys', 'API keys'],
  ['ranges', 'Release ranges'],
  ['webhookEndpoints', 'Endpoints'],
  ['backfills', 'Backfills in progress'],
];

export function About(): JSX.Element {
  const loaded = useLoad('about', (signal) => api().getAbout({}, { signal }), []);
  return (
    <section class="settings-part" aria-label="About">
      <header>
        <h2>About this service</h2>
      </header>
      <Shown of={loaded} lines={8}>
        {({ version, node, journalServer, durability, partitions, hosts, startedAt, limits }) => (
          <div class="about">
            <Facts
              of={[
                ['Tidings', version],
                ['Node.js', node],
                ['nats-server', journalServer ?? 'not connected'],
                ['An accepted request survives', durability === null ? 'unknown' : durabilities[durability]],
                ['Partitions', partitions],
                ['Hosts', hosts],
              ]}
            />
            <p class="faint">
              Running since <Time at={startedAt} />.
            </p>
            <h3>Limits of the tier “{limits.tier}”</h3>
            <Facts
              of={limitNames.map(([name, label]) => {
                const value = limits[name] as number;
                return [label, value === 0 ? 'no limit' : value.toLocaleString('en')];
              })}
            />
          </div>
        )}
      </Shown>
      <h3>Read more</h3>
      <ul class="about-links">
        <li>
          <a href={`${base}/docs/guide`}>Guide to the API</a>
        </li>
        <li>
          <a href={`${base}/docs`}>Reference of the API</a>
        </li>
        <li>
          <a href={`${base}/notes/`}>Published notes</a>
        </li>
        <li>
          <a href={`${base}/healthz`}>Health check</a>
        </li>
      </ul>
      <p class="faint">
        Metrics and the readiness of each part are on the operations port: <code>/metrics</code>, <code>/readyz</code>.
      </p>
    </section>
  );
}
