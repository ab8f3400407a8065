/**
 * Makes a draft from two tags and prints it. Usage: `TIDINGS_URL=http://127.0.0.1:8080 TIDINGS_KEY=$(cat
 * data/admin-key) node dist/sdk/example.js acme/rocket v1.0.0 v1.1.0 customer`.
 */
import { createClient, type Draft, TidingsError } from './index.ts';

const [fullName = '', fromTag = '', toTag = '', persona = 'engineer'] = process.argv.slice(2);
const { TIDINGS_URL: url = 'http://127.0.0.1:8080', TIDINGS_KEY: key = '' } = process.env;
const client = createClient({ url, key });

async function draftOf(repoId: string): Promise<Draft> {
  const range = await client.createRange({ type: 'TAG_BASED', repoId, fromTag, toTag });
  const ticket = await client.generateDraft({ rangeId: range.id, persona: persona as Draft['persona'] });
  return client.waitForDraft(ticket.id);
}

async function findRepository(): Promise<string> {
  for await (const repository of client.each('listRepositories', {})) {
    if (repository.fullName === fullName) return repository.id;
  }
  throw new Error(`No repository ${fullName} is connected.`);
}

try {
  const draft = await draftOf(await findRepository());
  process.stdout.write(draft.bodyMd);
} catch (error) {
  const at = error instanceof TidingsError ? ` (${error.status}, request ${error.requestId})` : '';
  process.stderr.write(`${(error as Error).message}${at}\n`);
  process.exitCode = 1;
}
