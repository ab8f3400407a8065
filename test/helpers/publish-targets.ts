/**
 * The channels that the worker is killed over, each with its receiver and how to count what that holds.
 */
import type { ChannelName } from '../../src/protocol/channels.ts';
import type { TestHost } from './host/server.ts';
import type { Target } from './publish-kill.ts';
import type { TestService } from './service.ts';

const tag = 'v2.0.0';

/** The channels of the source-code host, and the pages of the service itself. */
export function hostTargets(host: TestHost): Target[] {
  const { publishing, history } = host;
  history.releases.length = 0;
  return [
    {
      channel: 'scm_releases',
      asked: true,
      clear: () => {
        publishing.releases.length = 0;
      },
      held: (text) => {
        const ofTag = publishing.releases.filter(({ tag_name }) => tag_name === tag);
        return ofTag.some(({ body }) => body.includes(text)) ? ofTag.length : 0;
      },
    },
    fileTarget(host, 'changelog', 'CHANGELOG.md'),
    fileTarget(host, 'releases_md', 'RELEASES.md'),
    { channel: 'hosted', asked: true, held: heldOnPages },
  ];
}

/** The version's entries in the list, where its page has the text. */
async function heldOnPages(text: string, { url }: TestService): Promise<number> {
  const read = async (path: string): Promise<string> => (await fetch(`${url}/notes/acme/rocket/${path}`)).text();
  if (!(await read(tag)).includes(text)) return 0;
  return (await read('')).split(`>${tag}</a></h2>`).length - 1;
}

/** A heading of the version that stands twice counts twice. */
function fileTarget({ publishing }: TestHost, channel: ChannelName, path: string): Target {
  return {
    channel,
    asked: true,
    clear: () => publishing.put(path, '# Changes\n\n## v1.0.0\n\n- Old\n'),
    held: (text) => {
      const written = publishing.text(path) ?? '';
      const headings = written.match(/^## .*v2\.0\.0.*$/gm) ?? [];
      return Math.max(headings.length, written.split(text).length - 1);
    },
  };
}
