/**
 * Writes the text at the end of the demo: the addresses to visit, the key, and requests to try.
 */

/** The addresses, key and ids that the text shows. */
export interface Sights {
  url: string;
  opsUrl: string;
  adminKey: string;
  /** Address of the page with the customer's draft. */
  pageUrl: string;
  repoId: string;
  draftId: string;
}

/**
 * Returns the text at the end of the demo.
 * @param keepsRunning whether the service keeps running
 */
export function invitation({ url, opsUrl, adminKey, pageUrl, repoId, draftId }: Sights, keepsRunning: boolean): string {
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
    ...(keepsRunning ? [' Ctrl-C ends it and removes its data.'] : []),
    '',
  ].join('\n');
}
