/**
 * What the demo prints at its end: the addresses to look at, the key, and requests to go on with.
 */

/** What there is to look at. */
export interface Sights {
  url: string;
  opsUrl: string;
  adminKey: string;
  /** Address of the page that the customer's draft is published on. */
  pageUrl: string;
  repoId: string;
  draftId: string;
}

/** @param goesOn whether the service is still there afterwards */
export function invitation({ url, opsUrl, adminKey, pageUrl, repoId, draftId }: Sights, goesOn: boolean): string {
  const rows = [
    ["The customer's note", pageUrl],
    ['This service', `${url}/`],
    ['API reference', `${url}/docs`],
    ['Metrics', `${opsUrl}/metrics`],
    ['Key to everything', adminKey],
  ] as const;
  const paths = ['/api/repos', `/api/ranges?repoId=${repoId}`, `/api/drafts/${draftId}`];
  return [
    ...rows.map(([what, where]) => ` ${what.padEnd(21)}${where}`),
    '',
    `  KEY=${adminKey} URL=${url}`,
    ...paths.map((path) => `  curl -H "Authorization: Bearer $KEY" "$URL${path}"`),
    '',
    ' The whole drafts: npm run demo -- --full',
    ...(goesOn ? [' Ctrl-C ends it and removes its data.'] : []),
    '',
  ].join('\n');
}
