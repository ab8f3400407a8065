/**
 * The channels `changelog` and `releases_md`: write the notes into a Markdown file of the repository, under the heading
 * of their version, and commit the file to a branch. If the file contains the notes already, nothing is committed. If
 * the settings say so or the branch is protected, the commit goes to a branch of its own, with a pull request.
 */

import { ServiceError } from '../../foundation/errors.ts';
import { type FileSettings, FileSettingsSchema } from '../../protocol/host-channel-settings.ts';
import { publicationTrailer } from '../../protocol/publications.ts';
import { type Channel, type Delivered, DeliveryError, type HostAccess, type HostFile, type Note } from '../channel.ts';
import { cutMarkdown } from './cut-markdown.ts';
import { onHost, testHost } from './delivery.ts';
import { withVersion } from './file-text.ts';
import { harmlessLine } from './harmless.ts';
import { toHostMarkdown } from './host-markdown.ts';
import { type PullPayload, propose, pullOf } from './pull-request.ts';
import { restLine } from './releases.ts';

/** The section of a version, and the file and branch to write it to. The preview shows this payload. */
export interface FilePayload {
  path: string;
  branch: string;
  message: string;
  /** Title of the file, used if the file does not exist yet. */
  title: string;
  version: string;
  /** Text after the version in the heading, such as a date in parentheses. */
  suffix: string;
  body: string;
  via: 'push' | 'pull_request';
  /** The pull request, which is opened only if `via` is `pull_request` or the branch is protected. */
  pull: PullPayload;
}

/** Maximum number of times the file is read. The file is read again when another commit has changed it meanwhile. */
const maxReadings = 3;
/**
 * Maximum characters of one version's section. Hosts still display a file with several hundred sections of this size.
 */
const maxSectionLength = 250_000;

export const changelog = fileChannel('changelog', 'CHANGELOG.md', 'Changelog');
export const releasesMd = fileChannel('releases_md', 'RELEASES.md', 'Releases');

function fileChannel(
  name: 'changelog' | 'releases_md',
  usualPath: string,
  title: string,
): Channel<FileSettings, FilePayload> {
  return {
    name,
    isPublic: false,
    canLookUp: true,
    settings: FileSettingsSchema,
    secrets: [],
    render: (note, { path = usualPath, branch = note.repository.defaultBranch, message, via = 'push' }) => {
      const subject = messageOf(note, path, message);
      return {
        path,
        branch,
        message: `${subject}\n\n${publicationTrailer}: ${note.publicationId}`,
        title,
        version: note.version,
        suffix: `(${new Date(note.date).toISOString().slice(0, 10)})`,
        body: cutMarkdown(toHostMarkdown(note), maxSectionLength, (count) => restLine(note, count)),
        via,
        pull: pullOf(note, { path, base: branch, title: subject }),
      };
    },
    deliver: (payload, { host, signal, publicationId }) =>
      onHost({ host, signal }, (access) => publish(payload, publicationId, access)),
    test: testHost,
  };
}

async function publish(payload: FilePayload, publicationId: string, host: HostAccess): Promise<Delivered> {
  const { branch: base, version, via, pull } = payload;
  const commitTo = (branch: string): Promise<string> => commit(payload, branch, host);
  if (via === 'push') {
    try {
      return { url: (await commitTo(base)) || null, reference: version };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'conflict') throw error;
    }
  }
  const published = async (): Promise<string | null> => {
    const { file, text } = await readWith(payload, base, host);
    return file && file.text === text ? file.url : null;
  };
  return propose(host, { pull, base, version, publicationId, commit: commitTo, published });
}

/** Commits the notes to a branch, unless its file contains them already. Returns the address of the file. */
async function commit(payload: FilePayload, branch: string, host: HostAccess): Promise<string> {
  const { path, message } = payload;
  for (let reading = 0; reading < maxReadings; reading++) {
    const { file, text } = await readWith(payload, branch, host);
    if (file && file.text === text) return file.url;
    const url = await host.writeFile(path, branch, text, file?.sha ?? null, message);
    if (url !== null) return url;
  }
  throw new DeliveryError(
    'retry',
    `Other commits changed ${path} during each of ${maxReadings} attempts to commit the notes.`,
  );
}

/** Reads the file of a branch. `text` is the text of the file with the notes. */
async function readWith(
  { path, title, version, suffix, body }: FilePayload,
  branch: string,
  host: HostAccess,
): Promise<{ file: HostFile | null; text: string }> {
  const file = await host.readFile(path, branch);
  return { file, text: withVersion(file?.text ?? null, title, { version, suffix, bodyMd: body }) };
}

/** Returns the first line of the commit message. */
function messageOf({ version }: Note, file: string, template = 'docs: notes of {version} in {file}'): string {
  const values: Record<string, string> = { version, file };
  return harmlessLine(template.replace(/\{(version|file)\}/g, (_, name: string) => values[name] ?? '')).slice(0, 400);
}
