/** Shows what a channel would receive, as people see it there and exactly as it is sent. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Options } from '../../parts/choice.tsx';
import { Shown } from '../../parts/feedback.tsx';
import { Marked } from '../../parts/marked.tsx';
import { memo } from '../../parts/memo.ts';
import { useLoad } from '../../state/load.ts';
import { api, base, isPassing } from '../../state/session.ts';
import { type ChannelName, channelNames, channelWords } from '../../text/words.ts';

const views = { seen: 'As people see it', sent: 'As it is sent' } as const;

/**
 * @param version changes whenever the service has another text
 * @param connected the channels that can be published to; the others can be previewed too
 * @param hasRelease whether the notes fit a release on the host
 * @param only shows this channel, without the choice of another
 */
export const Preview = memo(function Preview({
  draftId,
  version,
  isReady,
  connected = [],
  hasRelease = true,
  only,
}: {
  draftId: string;
  version: string;
  isReady: boolean;
  connected?: readonly ChannelName[];
  hasRelease?: boolean;
  only?: ChannelName;
}): JSX.Element {
  const [channel, setChannel] = useState<ChannelName>(only ?? 'hosted');
  const [view, setView] = useState<keyof typeof views>('seen');
  const loaded = useLoad(
    'preview',
    async (signal) => ({ ...(await api().previewPublication({ draftId, channel }, { signal })), channel }),
    [draftId, channel, isReady ? version : null],
  );
  // While the next preview loads, or the service does not answer, the last one stays.
  const [last, setLast] = useState(loaded.data);
  if (loaded.data && loaded.data !== last) setLast(loaded.data);
  const isWaiting = !loaded.error || isPassing(loaded.error);
  const shown = loaded.data ?? (last?.channel === channel && isWaiting ? last : undefined);
  const offered = channelNames.filter((name) => hasRelease || name !== 'scm_releases');
  const others = offered.filter((name) => !connected.includes(name));
  return (
    <section class="preview" aria-label="Preview">
      <div class="toolbar">
        {only === undefined && (
          <label>
            <span class="hidden">Preview for</span>
            <select value={channel} onChange={({ currentTarget }) => setChannel(currentTarget.value as ChannelName)}>
              <Names of={offered.filter((name) => connected.includes(name))} />
              {others.length > 0 && (
                <optgroup label="Not connected">
                  <Names of={others} />
                </optgroup>
              )}
            </select>
          </label>
        )}
        <fieldset class="choice">
          <legend class="hidden">View</legend>
          <Options name="view" texts={views} chosen={view} onChoose={setView} />
        </fieldset>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <div class="preview-body" tabIndex={0}>
        {isReady ? (
          <Shown of={{ ...loaded, data: shown, error: shown ? undefined : loaded.error }}>
            {({ channel: name, payload, provisionalVersion }) => (
              <>
                {provisionalVersion !== null && <Provisional version={provisionalVersion} channel={name} />}
                {view === 'sent' ? (
                  <pre class="payload">{JSON.stringify(payload, null, 2)}</pre>
                ) : (
                  <Seen channel={name} payload={payload as Payload} />
                )}
              </>
            )}
          </Shown>
        ) : (
          <p class="faint preview-note">The preview appears when the draft is ready.</p>
        )}
      </div>
    </section>
  );
});

function Names({ of }: { of: readonly ChannelName[] }): JSX.Element {
  return (
    <>
      {of.map((name) => (
        <option key={name} value={name}>
          {channelWords[name].name}
        </option>
      ))}
    </>
  );
}

function Provisional({ version, channel }: { version: string; channel: ChannelName }): JSX.Element {
  return (
    <p class="box">
      <span>
        These notes have no tag yet. The preview calls them <b>{version}</b>
        {version !== 'Unreleased' && ', the suggested version'}. {channelWords[channel].name} accepts them when the tag
        has arrived.
      </span>
    </p>
  );
}

interface Card {
  text: string;
  size?: string;
  weight?: string;
  fontType?: string;
}

/** The fields of the payloads of all channels. Each channel has some of them. */
interface Payload {
  page: { html: string; version: string };
  html: string;
  subject: string;
  title: string;
  name: string;
  body: string;
  draft: boolean;
  prerelease: boolean;
  path: string;
  branch: string;
  via: string;
  version: string;
  suffix: string;
  blocks: readonly { type: string; text: { text: string } }[];
  attachments: readonly { content: { body: readonly Card[] } }[];
}

function Seen({ channel, payload }: { channel: ChannelName; payload: Payload }): JSX.Element {
  switch (channel) {
    case 'hosted':
      return (
        <Page title="Page as readers see it" html={`<h1>${escaped(payload.page.version)}</h1>${payload.page.html}`} />
      );
    case 'email':
      return (
        <>
          <p class="preview-head">
            <span class="faint">Subject</span> <b>{payload.subject}</b>
          </p>
          <Page title="Mail as its readers see it" html={withoutStyles(payload.html)} />
        </>
      );
    case 'support_messenger':
      return (
        <>
          <p class="preview-head">
            <b>{payload.title}</b>
          </p>
          <Page title="News item as its readers see it" html={payload.body} />
        </>
      );
    case 'workspace_chat':
      return (
        <div class="message">
          {payload.blocks.map(({ type, text }, i) =>
            type === 'header' ? <h3 key={i}>{text.text}</h3> : <Marked key={i} text={text.text} markup="chat" />,
          )}
        </div>
      );
    case 'office_chat':
      return (
        <div class="message framed">
          {payload.attachments[0]?.content.body.map(({ text, size, weight, fontType }, i) => (
            <div
              key={i}
              class={`${weight ? 'strong' : ''} ${size === 'Large' ? 'large' : ''} ${fontType ? 'mono' : ''}`}
            >
              <Marked text={text} markup="markdown" />
            </div>
          ))}
        </div>
      );
    case 'scm_releases':
      return (
        <div class="message">
          <h3>
            {payload.name} {payload.draft && <span class="tag">draft</span>}
            {payload.prerelease && <span class="tag">prerelease</span>}
          </h3>
          <Marked text={payload.body} markup="markdown" />
        </div>
      );
    default:
      return (
        <div class="message">
          <p class="faint">
            <code>{payload.path}</code> on <code>{payload.branch}</code>
            {payload.via === 'pull_request' ? ', by a pull request' : ', by a commit'}
          </p>
          <h3>
            {payload.version} {payload.suffix}
          </h3>
          <Marked text={payload.body} markup="markdown" />
        </div>
      );
  }
}

/** HTML in a frame that can run no script. Links open in a new tab. */
function Page({ title, html }: { title: string; html: string }): JSX.Element {
  const stylesheet = `${location.origin}${base}/notes/style.css`;
  const source = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Preview</title><base target="_blank"><link rel="stylesheet" href="${stylesheet}"><main><article>${html}</article></main></html>`;
  return (
    <iframe
      title={title}
      srcdoc={source}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerpolicy="no-referrer"
    />
  );
}

/** The policy of the dashboard forbids style attributes, so the frame uses the styles of pages. */
function withoutStyles(html: string): string {
  return html.replace(/<[^>]+>/g, (tag) => tag.replace(/ style="[^"]*"/, ''));
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
