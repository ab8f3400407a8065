/** A repository that begins titles with an emoji, as a character or as its short name: software for greenhouses. */
import { between, issue, pull, release, type Style } from './style.ts';

const steps = [
  pull(64, '✨ Plan watering by the weather forecast', { by: 'fern-ito' }),
  pull(66, '🐛 Pump keeps running after `emergencyStop()`', { by: 'beekman', linkedIssues: [61] }),
  pull(67, '⚡️ Draw the humidity chart in one pass', { by: 'fern-ito' }),
  pull(68, '📝 Add wiring diagram for relay boards', { by: 'pia-roos' }),
  pull(69, '♻️ Move sensor drivers to their own crate', { by: 'beekman' }),
  pull(70, '⬆️ Update tokio to 1.47', { by: 'renovate[bot]', bot: true }),
  pull(72, '💥 Rename topic `garden/+/soil` to `bed/+/soil`', {
    by: 'beekman',
    body: '## Breaking\n\nSubscribe to `bed/+/soil`. The old topic is silent from this version on.',
  }),
  pull(73, '🔒 Require a password for the local console', { by: 'pia-roos' }),
  pull(74, ':sparkles: Support soil sensors of type `SHT4x`', { by: 'newt-h' }),
  pull(75, ':bug: Lamp schedule is one hour late in summer', { by: 'newt-h' }),
  pull(76, '🚑️ Stop the boiler when a thermometer fails', { by: 'pia-roos' }),
  pull(77, '🎨 Format with the new rules', { by: 'fern-ito' }),
  pull(78, '💄 Larger buttons on small screens', { by: 'fern-ito' }),
  pull(79, '🌐 Translate the app into Dutch', { by: 'pia-roos' }),
];

export const emoji: Style = {
  name: 'emoji',
  memory: release('mosslight/terrarium', ['1.8.0', '1.9.0'], steps, {
    issues: [issue(61, 'Water runs on after the emergency stop', { author: { login: 'glasshouse-4', bot: false } })],
  }),
  bounds: between('1.8.0', '1.9.0'),
  breaking: ['pr:72'],
};
