/**
 * Writes the text at the end of the demo: the addresses to visit, the key, and requests to try.
 */

/** The addresses, key, ids and settings that the text shows. */
export interface Sights {
  url: string;
  opsUrl: string;
  /** Address of the dashboard; a link that signs a browser in once, while the demo keeps running. */
  dashboardUrl: string;
  adminKey: string;
  /** Address of the page with the customer's draft. */
  pageUrl: string;
  repoId: string;
  draftId: string;
  fullName: string;
  dataDir: string;
  natsPort: number;
}

/**
 * Returns the text at the end of the demo.
 * @param keepsRunning whether the service keeps running
 */
export function invitation(sights: Sights, keepsRunning: boolean): string {
  const { url, opsUrl, dashboardUrl, adminKey, pageUrl, repoId, draftId, fullName, dataDir, natsPort } = sights;
  const rows = [
    ['Dashboard', dashboardUrl],
    ["The customer's note", pageUrl],
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
    ...(keepsRunning
      ? [
          `  export TIDINGS_DATA_DIR=${dataDir} TIDINGS_NATS_PORT=${natsPort}`,
          `  npm run tidings -- notes ${fullName} --unreleased`,
        ]
      : []),
    '',
    ' The whole drafts: npm run demo -- --full',
    ...(keepsRunning ? [' Ctrl-C ends it and removes its data.'] : []),
    '',
  ].join('\n');
}
