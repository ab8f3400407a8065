/**
 * The step of the action: makes the notes of a release with the API of a running Tidings, writes them to the job
 * summary, and publishes them on request. It needs Node 18 or later and no package.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { previousTag } from './versions.mjs';

const exitCodes = { failed: 1, usage: 2, notFound: 3, conflict: 4 };
const personaNames = ['engineer', 'internal', 'customer'];
/** Interval between two reads of an object that is not ready, in milliseconds. */
const pollMs = 1000;
/** Maximum time of one attempt of a request, in milliseconds. */
const maxAttemptMs = 30_000;
/** Maximum size of a job summary on GitHub is 1 MiB. */
const maxSummaryLength = 250_000;

/** A failure with its exit code. */
class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const { env } = process;

/** Reads and checks the inputs. */
function readInputs() {
  const input = (name) => (env[`INPUT_${name}`] ?? '').trim();
  const [url, key, repository] = [input('URL'), input('API_KEY'), input('REPOSITORY') || (env.GITHUB_REPOSITORY ?? '')];
  const { GITHUB_REF: ref = '' } = env;
  const to = input('TO') || (ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : '');
  const seconds = Number(input('TIMEOUT') || 300);
  const personas = listIn(input('PERSONAS') || personaNames.join(','));
  const unknown = personas.find((persona) => !personaNames.includes(persona));
  const draft = input('DRAFT') || 'false';
  if (!/^https?:\/\/\S+$/.test(url))
    throw usage('url: expected the address of the service, such as https://notes.example.com');
  if (key === '') throw usage('api-key: expected an API key. Forks and some events get no secrets');
  if (!/^[^/\s]+\/[^/\s]+$/.test(repository)) throw usage(`repository: expected OWNER/REPO, got "${repository}"`);
  if (to === '') throw usage('to: expected a tag, because this workflow run is not for a tag');
  if (unknown !== undefined) throw usage(`personas: expected some of ${personaNames.join(', ')}, got "${unknown}"`);
  if (draft !== 'true' && draft !== 'false') throw usage(`draft: expected true or false, got "${draft}"`);
  if (!(seconds > 0)) throw usage('timeout: expected a positive number of seconds');
  return {
    ...{ url: url.replace(/\/+$/, ''), key, repository, to, personas, from: input('FROM') },
    ...{ channels: listIn(input('PUBLISH')), asDraft: draft === 'true', deadline: Date.now() + seconds * 1000 },
  };
}

function usage(message) {
  return new Failure(exitCodes.usage, message);
}

function listIn(text) {
  return [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))];
}

/**
 * Sends a request, and sends it again after a broken connection, a 429 or a 5xx until the time is over. All attempts of
 * a POST have the same Idempotency-Key, so it is carried out once.
 */
async function send(inputs, method, path, body) {
  const headers = { authorization: `Bearer ${inputs.key}`, accept: 'application/json' };
  if (body) Object.assign(headers, { 'content-type': 'application/json', 'idempotency-key': randomUUID() });
  const request = { method, headers, redirect: 'manual', ...(body && { body: JSON.stringify(body) }) };
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    const { status, reply, retryAfterMs, error } = await attempt(inputs, path, request);
    if (status >= 200 && status < 300 && reply) return reply;
    const mayRepeat = status === 0 || status === 429 || status >= 500;
    const next = Math.max(wait, retryAfterMs);
    if (mayRepeat && Date.now() + next <= inputs.deadline) {
      await pause(next);
      continue;
    }
    const text = error ?? reply?.message ?? `the reply has the status ${status}. Check the input url`;
    const code = reply?.details?.outdated === undefined ? exitCodes.failed : exitCodes.conflict;
    throw new Failure(status === 404 ? exitCodes.notFound : code, `${method} ${path}: ${text}`);
  }
}

/** Makes one attempt. The status is 0 if there is no reply. */
async function attempt({ url, deadline }, path, request) {
  const left = Math.min(maxAttemptMs, Math.max(1, deadline - Date.now()));
  try {
    const response = await fetch(url + path, { ...request, signal: AbortSignal.timeout(left) });
    const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0;
    return { status: response.status, reply: await response.json().catch(() => undefined), retryAfterMs };
  } catch (error) {
    return { status: 0, retryAfterMs: 0, error: `${url} does not answer: ${error.cause?.message ?? error.message}` };
  }
}

/** Returns all items of a list. */
async function listAll(inputs, path, name) {
  const items = [];
  for (let offset = 0; offset !== null; ) {
    const page = await send(inputs, 'GET', `${path}${path.includes('?') ? '&' : '?'}limit=100&offset=${offset}`);
    items.push(...page[name]);
    offset = page.nextOffset;
  }
  return items;
}

/** Reads something again until it is there, or the time is over. */
async function waitFor(deadline, read, failure) {
  for (;;) {
    const found = await read();
    if (found) return found;
    if (Date.now() + pollMs > deadline) throw failure();
    await pause(pollMs);
  }
}

/** Finds the repository by its name. If several hosts have that name, the number of the workflow's repository decides. */
async function findRepository(inputs) {
  const wanted = inputs.repository.toLowerCase();
  const found = (await listAll(inputs, '/api/repos', 'repos')).filter((each) => each.fullName.toLowerCase() === wanted);
  const own = found.find(({ scmRepoId }) => String(scmRepoId) === env.GITHUB_REPOSITORY_ID);
  const repository = own ?? found[0];
  if (repository && (own || found.length === 1)) return repository;
  if (repository) throw usage(`repository: several hosts have ${inputs.repository}. Use a key of one organization`);
  throw new Failure(
    exitCodes.notFound,
    `The service does not know the repository ${inputs.repository}, or the key may not read it.`,
  );
}

/** Waits until the service knows the tags: the webhook of a new tag can arrive after the workflow has started. */
async function findSpan(inputs, repoId) {
  const { to, from, deadline, repository } = inputs;
  const unknown = () =>
    new Failure(
      exitCodes.notFound,
      `The service does not know the tag ${from ? `${from} or ` : ''}${to} of ${repository}.`,
    );
  const tags = await waitFor(
    deadline,
    async () => {
      const all = await listAll(inputs, `/api/repos/${repoId}/tags`, 'tags');
      return [to, ...(from ? [from] : [])].every((tag) => all.some(({ name }) => name === tag)) && all;
    },
    unknown,
  );
  const fromTag = from || previousTag(tags, to);
  if (fromTag === undefined)
    throw new Failure(exitCodes.notFound, `${repository} has no release before ${to}. Name its tag in the input from.`);
  return { fromTag, toTag: to };
}

/** Returns the range between two tags. A range with the same bounds is used again. */
async function findRange(inputs, repoId, span) {
  const ranges = await listAll(inputs, `/api/ranges?repoId=${repoId}`, 'ranges');
  const known = ranges.find(({ fromTag, toTag }) => fromTag === span.fromTag && toTag === span.toTag);
  return known ?? send(inputs, 'POST', '/api/ranges', { type: 'TAG_BASED', repoId, ...span });
}

async function makeDrafts(inputs, rangeId) {
  const drafts = [];
  for (const persona of inputs.personas) {
    const { id } = await send(inputs, 'POST', `/api/drafts/${rangeId}/generate`, { persona });
    const late = () => new Failure(exitCodes.failed, `The draft for ${persona} readers is not ready in time.`);
    const read = () => send(inputs, 'GET', `/api/drafts/${id}`);
    const ready = async () => {
      const draft = await read();
      return draft.status !== 'processing' && draft;
    };
    const draft = await waitFor(inputs.deadline, ready, late);
    if (draft.status === 'failed')
      throw new Failure(exitCodes.failed, `The draft for ${persona} readers could not be written: ${draft.error}`);
    drafts.push(draft);
  }
  return drafts;
}

/** Publishes the drafts on the channels, and waits for the results. */
async function publishAll(inputs, drafts) {
  const published = [];
  for (const { id: draftId, persona } of drafts)
    for (const channel of inputs.channels) {
      const draft = inputs.asDraft && channel === 'scm_releases';
      const begun = await send(inputs, 'POST', '/api/publish', { draftId, channel, draft, strict: true });
      const ended = async () => {
        const now = await send(inputs, 'GET', `/api/publications/${begun.id}`);
        return (now.status === 'completed' || now.status === 'failed') && now;
      };
      const late = () =>
        new Failure(exitCodes.failed, `The publication ${begun.id} on ${channel} has not ended in time.`);
      const { status, url, error } = await waitFor(inputs.deadline, ended, late);
      console.log(`${persona} on ${channel}: ${status} ${url ?? error ?? ''}`.replace(/\s+/g, ' ').trim());
      published.push({ persona, channel, status, url, error });
    }
  return published;
}

/** Removes the hidden comments that connect lines with changes. They are for the editor of a draft only. */
function withoutComments(markdown) {
  const own = '<!-- rn:(?:(?!-->)[^\\n]){1,400}-->';
  return markdown.replace(new RegExp(`^[ \\t>]*${own}[ \\t]*\\n`, 'gm'), '').replace(new RegExp(` ?${own}`, 'g'), '');
}

function writeSummary({ repository }, { fromTag, toTag }, drafts, published) {
  if (!env.GITHUB_STEP_SUMMARY) return;
  const lines = [`# ${repository} ${fromTag}..${toTag}`, ''];
  for (const { persona, channel, status, url, error } of published)
    lines.push(`- ${persona} on ${channel}: ${url ? `<${url}>` : `${status} ${error ?? ''}`.trim()}`);
  for (const { persona, bodyMd, conflicts } of drafts) {
    if (conflicts.length > 0) lines.push('', `**Conflicts in the draft for ${persona} readers: ${conflicts.length}**`);
    lines.push('', `<details open><summary>${persona}</summary>`, '', withoutComments(bodyMd).trim(), '', '</details>');
  }
  const text = lines.join('\n');
  const shown = text.length > maxSummaryLength ? `${text.slice(0, maxSummaryLength)}\n\n…\n` : text;
  appendFileSync(env.GITHUB_STEP_SUMMARY, `${shown}\n`);
}

/** Sets an output. The delimiter is random, so no text can end the output early. */
function setOutput(name, value) {
  if (!env.GITHUB_OUTPUT) return;
  const end = `end-${randomUUID()}`;
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

/** Reports an error to the runner. Line ends are escaped, so a text cannot become a command to the runner. */
function reportError(text) {
  console.log(`::error::${text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')}`);
}

async function run() {
  const inputs = readInputs();
  const { id: repoId } = await findRepository(inputs);
  const span = await findSpan(inputs, repoId);
  const range = await findRange(inputs, repoId, span);
  setOutput('range-id', range.id);
  const drafts = await makeDrafts(inputs, range.id);
  setOutput('notes', withoutComments(drafts[0].bodyMd).trim());
  const open = drafts.filter(({ conflicts }) => conflicts.length > 0);
  const published = open.length > 0 ? [] : await publishAll(inputs, drafts);
  setOutput('urls', published.flatMap(({ url }) => url ?? []).join('\n'));
  writeSummary(inputs, span, drafts, published);
  if (open.length > 0) {
    const list = open.map(({ id, conflicts }) => `${id}: ${conflicts.map(({ text }) => text).join('; ')}`).join('\n');
    throw new Failure(exitCodes.conflict, `Drafts with conflicts, so nothing was published: ${list}`);
  }
  const failed = published.find(({ status }) => status === 'failed');
  if (failed) throw new Failure(exitCodes.failed, `Publishing on ${failed.channel} failed: ${failed.error}`);
}

try {
  await run();
} catch (error) {
  reportError(error instanceof Failure ? error.message : String(error));
  process.exitCode = error instanceof Failure ? error.code : exitCodes.failed;
}
