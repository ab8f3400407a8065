/**
 * The channels `changelog` and `releases_md`: the notes under their version's heading in a Markdown file of the repository,
 * committed to a branch. A file that holds them already is left alone, so that a repetition commits nothing.
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

/** The section as the preview shows it, and where it goes. */
export interface FilePayload {
  path: string;
  branch: string;
  message: string;
  /** Heading of a new file. */
  title: string;
  version: string;
  /** Of the heading, behind the version. */
  suffix: string;
  body: string;
}

/** How often the file is read again when somebody else commits to it meanwhile. */
const mostReadings = 3;
/** Longest section of one version, in characters: with some hundred such the file is still one that hosts show. */
const longestSection = 250_000;

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
      body: cutMarkdown(toHostMarkdown(note), longestSection, (count) => restLine(note, count)),
    }),
    deliver: (payload, context) => onHost(context, (host) => commit(payload, host)),
    test: testHost,
  };
}

async function commit(payload: FilePayload, host: HostAccess): Promise<Delivered> {
  const { path, branch, title, version, suffix, body } = payload;
  for (let reading = 0; reading < mostReadings; reading++) {
    const file = await host.readFile(path, branch);
    const text = withVersion(file?.text ?? null, title, { version, suffix, bodyMd: body });
    if (file && file.text === text) return toDelivered(file.url, version);
    const url = await host.writeFile(path, branch, text, file?.sha ?? null, payload.message);
    if (url !== null) return toDelivered(url, version);
  }
  throw new DeliveryError(
    'retry',
    `${path} was changed by others ${mostReadings} times while it was being committed to.`,
  );
}

function toDelivered(url: string, version: string): Delivered {
  return { url: url || null, reference: version };
}

/** The first line of the commit's message. */
function messageOf({ version }: Note, file: string, template = 'docs: notes of {version} in {file}'): string {
  const values: Record<string, string> = { version, file };
  return harmlessLine(template.replace(/\{(version|file)\}/g, (_, name: string) => values[name] ?? '')).slice(0, 400);
}
