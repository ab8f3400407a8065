/**
 * The channels `changelog` and `releases_md`: write the notes into a Markdown file of the repository, under the heading
 * of their version, and commit the file to a branch. If the file contains the notes already, nothing is committed.
 */
import { type FileSettings, FileSettingsSchema } from '../../protocol/host-channel-settings.ts';
import { publicationTrailer } from '../../protocol/publications.ts';
import { type Channel, type Delivered, DeliveryError, type HostAccess, type Note } from '../channel.ts';
import { cutMarkdown } from './cut-markdown.ts';
import { onHost, testHost } from './delivery.ts';
import { withVersion } from './file-text.ts';
import { harmlessLine } from './harmless.ts';
import { toHostMarkdown } from './host-markdown.ts';
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
    render: (note, { path = usualPath, branch = note.repository.defaultBranch, message }) => ({
      path,
      branch,
      message: `${messageOf(note, path, message)}\n\n${publicationTrailer}: ${note.publicationId}`,
      title,
      version: note.version,
      suffix: `(${new Date(note.date).toISOString().slice(0, 10)})`,
      body: cutMarkdown(toHostMarkdown(note), maxSectionLength, (count) => restLine(note, count)),
    }),
    deliver: (payload, context) => onHost(context, (host) => commit(payload, host)),
    test: testHost,
  };
}

async function commit(payload: FilePayload, host: HostAccess): Promise<Delivered> {
  const { path, branch, title, version, suffix, body } = payload;
  for (let reading = 0; reading < maxReadings; reading++) {
    const file = await host.readFile(path, branch);
    const text = withVersion(file?.text ?? null, title, { version, suffix, bodyMd: body });
    if (file && file.text === text) return toDelivered(file.url, version);
    const url = await host.writeFile(path, branch, text, file?.sha ?? null, payload.message);
    if (url !== null) return toDelivered(url, version);
  }
  throw new DeliveryError(
    'retry',
    `Other commits changed ${path} during each of ${maxReadings} attempts to commit the notes.`,
  );
}

function toDelivered(url: string, version: string): Delivered {
  return { url: url || null, reference: version };
}

/** Returns the first line of the commit message. */
function messageOf({ version }: Note, file: string, template = 'docs: notes of {version} in {file}'): string {
  const values: Record<string, string> = { version, file };
  return harmlessLine(template.replace(/\{(version|file)\}/g, (_, name: string) => values[name] ?? '')).slice(0, 400);
}
