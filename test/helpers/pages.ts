/**
 * Starts a server of hosted pages on its own data directory. The tests write repositories and notes to the stores as
 * folds write them, and read the pages over HTTP.
 */
import { mkdirSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { newId } from '../../src/foundation/ids.ts';
import { startServer } from '../../src/http/server.ts';
import { pageRoutes } from '../../src/pages/routes.ts';
import type { HostedSettings } from '../../src/protocol/host-channel-settings.ts';
import type { HostedPage } from '../../src/protocol/hosted.ts';
import { openPartition, type Partition } from '../../src/store/partition.ts';
import { Readers } from '../../src/store/readers.ts';
import { writeDirectoryRepository } from '../../src/store/tables/directory.ts';
import { removeHostedNote, writeHostedNote } from '../../src/store/tables/hosted-notes.ts';
import { writeRepository } from '../../src/store/tables/repositories.ts';
import { afterwards } from './cleanup.ts';
import { repositoryFields } from './partition-records.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { send } from './proxy.ts';

export const at = Date.UTC(2026, 1, 3, 12);
const publicationId = 'pub_0000000000000000000000000000';

type TestNote = HostedPage & { path: string | undefined; publicationId: string };

export interface TestPages {
  url: string;
  /** Writes a repository to the directory partition and to the partition `p00`. Returns the id of the repository. */
  repository(
    fields?: { fullName?: string; private?: boolean; origin?: string; formerNames?: string[] },
    nth?: number,
  ): Promise<string>;
  /**
   * Sets the settings of a repository's channel `hosted`. If `settings` is undefined, the stored settings are removed.
   */
  settings(repoId: string, settings: HostedSettings | undefined): Promise<void>;
  note(repoId: string, page?: Partial<TestNote>): Promise<void>;
  /** Removes the content of a publication from the page of a version. */
  remove(repoId: string, page?: Partial<Pick<TestNote, 'version' | 'path' | 'publicationId'>>): Promise<void>;
  /** Requests a path with a different `Host` header and returns the body of the reply. */
  getAs(host: string, path: string): Promise<string>;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; headers: Headers; body: string }>;
}

/** Starts a server that serves the pages of notes. The server stops when the test ends. */
export async function startPages(t: TestContext, publicUrl = ''): Promise<TestPages> {
  const dataDir = temporaryFolder(t);
  mkdirSync(dataDir, { recursive: true });
  const [directory, partition] = [openPartition(dataDir, 'directory'), openPartition(dataDir, 'p00')];
  const readers = new Readers(dataDir);
  const port = await freePort();
  const settings = { publicUrl, host: '127.0.0.1', port, partitions: 1, hostOrigin: 'https://scm.example' };
  const server = await startServer('127.0.0.1', port, pageRoutes(readers, settings), pino({ level: 'silent' }));
  afterwards(t, async () => {
    await server.stop(1000);
    await readers.close();
    await Promise.all([directory.close(), partition.close()]);
  });
  const orgId = newId('org', 0);
  const url = `http://127.0.0.1:${port}`;
  const inside = (store: Partition, write: () => void): Promise<void> => store.root.transaction(write);
  return {
    url,
    repository: async (fields = {}, nth = 0) => {
      const { formerNames = [], ...given } = fields;
      const repository = { ...repositoryFields(given, nth), formerNames, createdAt: at, seenAt: at, revision: 1 };
      const { id, hostId, fullName, defaultBranch } = repository;
      const known = { id, orgId, hostId, fullName, defaultBranch, installationId: null, createdAt: at, seenAt: at };
      await inside(partition, () => writeRepository(partition, repository));
      await inside(directory, () => writeDirectoryRepository(directory, { ...known, state: 'connected' }));
      return id;
    },
    settings: (repoId, given) =>
      inside(directory, () => {
        const key = [orgId, repoId, 'hosted'];
        if (given) directory.tables.channels.putSync(key, { settings: given });
        else directory.tables.channels.removeSync(key);
      }),
    note: (repoId, page = {}) =>
      inside(partition, () => {
        const usual = {
          version: 'v1.0.0',
          persona: 'customer' as const,
          html: '<p>First.</p>',
          excerpt: 'First',
          date: at,
        };
        writeHostedNote(partition, { publicationId, ...usual, ...page, repoId }, at);
      }),
    remove: (repoId, page = {}) =>
      inside(partition, () => removeHostedNote(partition, { version: 'v1.0.0', publicationId, ...page, repoId })),
    getAs: async (host, path) => (await send(url + path, { headers: { host } })).body.toString('utf8'),
    get: async (path, headers = {}) => {
      const response = await fetch(path.startsWith('http') ? path : url + path, { headers, redirect: 'manual' });
      return { status: response.status, headers: response.headers, body: await response.text() };
    },
  };
}
