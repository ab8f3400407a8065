/**
 * Lists the channels of the kill test. Each channel has a receiver, and a function that counts the items of this
 * receiver.
 */
import type { TestContext } from 'node:test';
import type { ChannelName } from '../../src/protocol/channels.ts';
import type { TestHost } from './host/server.ts';
import type { Target } from './publish-kill.ts';
import { startOfficeChat } from './receivers/office-chat.ts';
import type { Ruled } from './receivers/ruled.ts';
import { type SmtpReceiver, startSmtp } from './receivers/smtp.ts';
import { startSupportMessenger } from './receivers/support-messenger.ts';
import { startWorkspaceChat } from './receivers/workspace-chat.ts';
import type { Answer, TestService } from './service.ts';

const tag = 'v2.0.0';

/** Returns the channels that publish to the code host, and the channel `hosted` of the service's own pages. */
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
      sent: () => JSON.stringify(publishing.releases),
    },
    fileTarget(host, 'changelog', 'CHANGELOG.md'),
    pullTarget(host, 'releases_md', 'RELEASES.md'),
    { channel: 'hosted', asked: true, held: heldByPages, sent: shownByPages },
  ];
}

/**
 * Maximum delay of a receiver in milliseconds. Because of the delays, a kill can interrupt every step of a publication.
 */
const slowMs = 150;

/**
 * Returns the channels that publish to other services. Only the support messenger can list the items that it has
 * received. The service cannot ask the other three receivers for their items.
 */
export async function outsideTargets(t: TestContext): Promise<Target[]> {
  const [messenger, chat, office, mail] = [
    await startSupportMessenger(t),
    await startWorkspaceChat(t),
    await startOfficeChat(t),
    await startSmtp(t, { slowMs }),
  ];
  for (const receiver of [messenger, chat, office]) receiver.slow(slowMs);
  const { apiUrl, token: accessToken, senderId, newsfeedId } = messenger;
  const recipients = ['ada@example.org', 'grace@example.org', 'linus@example.org'];
  return [
    {
      channel: 'support_messenger',
      asked: true,
      settings: { apiUrl, accessToken, senderId, newsfeedIds: [newsfeedId] },
      held: (text) => messenger.items.filter(({ body }) => body.includes(text)).length,
      sent: () => sentTo(messenger),
    },
    {
      channel: 'workspace_chat',
      asked: false,
      settings: { webhookUrl: chat.webhookUrl },
      held: (text) => chat.messages.filter((message) => message.text.includes(text)).length,
      sent: () => sentTo(chat),
    },
    {
      channel: 'office_chat',
      asked: false,
      settings: { webhookUrl: office.webhookUrl },
      held: (text) => office.cards.filter((card) => card.join(' ').includes(text)).length,
      sent: () => sentTo(office),
    },
    {
      channel: 'email',
      asked: false,
      settings: { host: '127.0.0.1', port: mail.port, tls: 'none', from: 'notes@acme.example', recipients },
      held: (text) => heldByRecipients(mail, recipients, text),
      sent: () => JSON.stringify(mail.mails),
    },
  ];
}

function sentTo({ receiver }: Ruled): string {
  return receiver.received.map(({ body }) => body).join('\n');
}

/**
 * For each recipient, counts the mails that contain the text. Returns the largest count if it is more than 1. If the
 * largest count is 0 or 1, returns the smallest count.
 */
function heldByRecipients({ mails }: SmtpReceiver, recipients: readonly string[], text: string): number {
  const counts = recipients.map((to) => mails.filter((mail) => mail.to.includes(to) && mail.raw.includes(text)).length);
  const max = Math.max(...counts);
  return max > 1 ? max : Math.min(...counts);
}

/**
 * Returns how many times the list of pages links to a publication's own page. Returns 0 if the publication's page does
 * not contain the text exactly once.
 */
async function heldByPages(text: string, service: TestService, { url }: Answer['body']): Promise<number> {
  const home = `${service.url}/notes/acme/rocket/`;
  const list = await (await fetch(home)).text();
  const page = await (await fetch(url)).text();
  const [, article = ''] = page.split('<article>');
  return article.split(text).length === 2 ? list.split(`href="./${url.slice(home.length)}"`).length - 1 : 0;
}

/** Returns the list of pages, the page of the version and the feeds as one text. */
async function shownByPages(service: TestService): Promise<string> {
  const paths = ['', tag, 'atom.xml', 'feed.json'];
  const texts = paths.map(async (path) => (await fetch(`${service.url}/notes/acme/rocket/${path}`)).text());
  return (await Promise.all(texts)).join('\n');
}

/**
 * Returns a target that is a pull request for a file in the repository. Counts the open pull requests of the service. If
 * the file of the only one does not contain the text exactly once, returns 0.
 */
function pullTarget({ publishing }: TestHost, channel: ChannelName, path: string): Target {
  const { proposals } = publishing;
  const texts = () => proposals.own.map(({ head }) => publishing.text(path, head) ?? '');
  return {
    channel,
    asked: true,
    settings: { via: 'pull_request' },
    clear: () => proposals.removeOwn(),
    held: (text) => {
      const [written = '', ...others] = texts();
      return others.length > 0 ? others.length + 1 : Number(written.split(text).length === 2);
    },
    sent: () => `${texts().join('\n')}\n${publishing.commits.join('\n')}\n${JSON.stringify(proposals.own)}`,
  };
}

/**
 * Returns a target that is a file in the repository. Counts two things in the file: headings of the version, and
 * occurrences of the text. The larger count is the number of items.
 */
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
    sent: () => `${publishing.text(path) ?? ''}\n${publishing.commits.join('\n')}`,
  };
}
