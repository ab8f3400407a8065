/**
 * The channels that the worker is killed over, each with its receiver and how to count what that holds.
 */
import type { TestContext } from 'node:test';
import type { ChannelName } from '../../src/protocol/channels.ts';
import type { TestHost } from './host/server.ts';
import type { Target } from './publish-kill.ts';
import { startOfficeChat } from './receivers/office-chat.ts';
import { type SmtpReceiver, startSmtp } from './receivers/smtp.ts';
import { startSupportMessenger } from './receivers/support-messenger.ts';
import { startWorkspaceChat } from './receivers/workspace-chat.ts';
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
    { channel: 'hosted', asked: true, held: heldByPages },
  ];
}

/** How often the list of pages has the version, whose page has the text. */
async function heldByPages(text: string, service: TestService): Promise<number> {
  const list = await (await fetch(`${service.url}/notes/acme/rocket/`)).text();
  const page = await (await fetch(`${service.url}/notes/acme/rocket/${tag}`)).text();
  return page.split(text).length === 2 ? list.split(`/notes/acme/rocket/${tag}"`).length - 1 : 0;
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

/** As long as a receiver far away takes, so that kills meet every step. */
const slowMs = 150;

/** The channels outside, each with a receiver of its own. */
export async function outsideTargets(t: TestContext): Promise<Target[]> {
  const [chat, bots] = [await startWorkspaceChat(t), await startSupportMessenger(t)];
  const [office, mail] = [await startOfficeChat(t), await startSmtp(t, { slowMs })];
  for (const receiver of [chat, bots, office]) receiver.slow(slowMs);
  const { apiUrl, token: accessToken, senderId, newsfeedId } = bots;
  const holding = (texts: readonly string[], text: string): number =>
    texts.filter((each) => each.includes(text)).length;
  return [
    {
      channel: 'support_messenger',
      asked: true,
      settings: { apiUrl, accessToken, senderId, newsfeedIds: [newsfeedId] },
      held: (text) =>
        holding(
          bots.items.map(({ body }) => body),
          text,
        ),
    },
    {
      channel: 'workspace_chat',
      asked: false,
      settings: { webhookUrl: chat.webhookUrl },
      held: (text) =>
        holding(
          chat.messages.map((message) => message.text),
          text,
        ),
    },
    {
      channel: 'office_chat',
      asked: false,
      settings: { webhookUrl: office.webhookUrl },
      held: (text) =>
        holding(
          office.cards.map((texts) => texts.join('\n')),
          text,
        ),
    },
    mailTarget(mail),
  ];
}

/** One when each recipient has one mail, none when somebody lacks it, more when somebody has more. */
function mailTarget({ port, mails }: SmtpReceiver): Target {
  const recipients = Array.from({ length: 6 }, (_, at) => `reader-${at}@example.org`);
  return {
    channel: 'email',
    asked: false,
    settings: { host: 'localhost', port, tls: 'none', from: 'notes@example.com', recipients },
    held: (text) => {
      const got = mails.filter((mail) => mail.text.includes(text)).flatMap(({ to }) => to);
      const counts = recipients.map((address) => got.filter((each) => each === address).length);
      const most = Math.max(...counts);
      return most > 1 ? most : Math.min(...counts);
    },
  };
}
