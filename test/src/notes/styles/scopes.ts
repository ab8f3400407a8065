/** A monorepo whose scopes are paths and packages. Its settings give scopes display names and hide some of them. */
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import { between, pull, release, type Style } from './style.ts';

const steps = [
  pull(2101, 'feat(web/ui): drag columns to reorder them', { by: 'solveig' }),
  pull(2102, 'fix(ui): menus stay open after a click outside', { by: 'solveig' }),
  pull(2104, 'fix(@wharf/client): retry uploads that end with `ECONNRESET`', { by: 'amadou-f' }),
  pull(2105, 'feat(@wharf/client): add `client.boards.watch()`', { by: 'amadou-f' }),
  pull(2106, 'fix(packages): export the types of `BoardEvent`', { by: 'yuki-w' }),
  pull(2108, 'feat(svc-billing): charge per seat and day', { by: 'yuki-w' }),
  pull(2109, 'fix(svc-billing): send one invoice per workspace', { by: 'yuki-w' }),
  pull(2111, 'fix(web/ui): keep the cursor when a card is renamed', { by: 'solveig' }),
  pull(2112, 'chore(scripts): sort the workspace file', { by: 'amadou-f' }),
  pull(2113, 'fix(deps): update dependency yjs to v13.6.27', { by: 'renovate[bot]', bot: true }),
  pull(2115, 'fix(ui): contrast of disabled buttons', { by: 'inez-g' }),
  pull(2116, 'feat(core)!: boards need a workspace', {
    by: 'inez-g',
    body: '## Breaking\n\nCall `createBoard({ workspace })`. Boards without a workspace are moved to the default one.',
  }),
  pull(2117, 'fix(web/editor, web/ui): paste tables from spreadsheets', { by: 'inez-g' }),
  pull(2119, 'fix(src): wrong week number in January', { by: 'yuki-w' }),
  pull(2120, 'fix(libs/ui-kit): tooltips cover the cursor', { by: 'solveig' }),
];

export const scopes: Style = {
  name: 'scopes',
  memory: release('wharf/boards', ['v7.0.0', 'v7.1.0'], steps, {
    settings: {
      ...defaultSettings,
      labels: { 'area: ui': { area: 'Web app' }, 'svc-billing': { area: 'Billing' } },
      hiddenAreas: [...defaultSettings.hiddenAreas, 'libs/ui-kit'],
    },
  }),
  bounds: between('v7.0.0', 'v7.1.0'),
  breaking: ['pr:2116'],
};
