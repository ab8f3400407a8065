/** Lists the whole content of the sample history: every area's changes with their area label. */

import type { AreaContent, Change, Milestone } from './change.ts';
import { accounts } from './content/accounts.ts';
import { administration } from './content/administration.ts';
import { albums } from './content/albums.ts';
import { api } from './content/api.ts';
import { mobile } from './content/mobile.ts';
import { search } from './content/search.ts';
import { sharing } from './content/sharing.ts';
import { storage } from './content/storage.ts';
import { upkeep } from './content/upkeep.ts';
import { uploads } from './content/uploads.ts';
import { viewer } from './content/viewer.ts';

const areas = [uploads, albums, search, sharing, storage, mobile, accounts, api, viewer, administration, upkeep];

/** Returns all changes of one release, in the order of the content files. */
export function changesOf(milestone: Milestone): Change[] {
  return areas.flatMap((content) => content.changes[milestone].map((change) => withArea(change, content)));
}

/**
 * Adds the area label. A change whose title has a conventional prefix gets no area label, because people do not label
 * such changes by hand.
 */
function withArea(change: Change, content: AreaContent): Change {
  const prefixed = /^[a-z]+(\([a-z]+\))?: /.test(change.title);
  if (content.area === null || prefixed) return change;
  const label = `area: ${content.area}`;
  const closes = change.closes.map((report) => ({ ...report, labels: [...report.labels, label] }));
  return { ...change, closes, labels: [...change.labels, label] };
}
