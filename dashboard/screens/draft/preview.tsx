/** Shows what a channel would receive: the page as readers see it, or the exact payload of another channel. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Shown } from '../../parts/feedback.tsx';
import { useLoad } from '../../state/load.ts';
import { api, base } from '../../state/session.ts';
import { type ChannelName, channelWords } from '../../text/words.ts';

/** @param version changes whenever the service has another text */
export function Preview({
  draftId,
  version,
  isReady,
  channels,
}: {
  draftId: string;
  version: string;
  isReady: boolean;
  channels: readonly ChannelName[];
}): JSX.Element {
  const [chosen, setChannel] = useState<ChannelName>('hosted');
  const channel = channels.includes(chosen) ? chosen : channels[0];
  const loaded = useLoad(
    'preview',
    async (signal) => {
      const name = channel as ChannelName;
      const { payload } = await api().previewPublication({ draftId, channel: name }, { signal });
      return { channel: name, payload };
    },
    [draftId, channel, isReady ? version : null],
  );
  // While the next preview loads, the last one stays.
  const [last, setLast] = useState(loaded.data);
  if (loaded.data && loaded.data !== last) setLast(loaded.data);
  const shown = loaded.data ?? (last?.channel === channel && !loaded.error ? last : undefined);
  return (
    <section class="preview" aria-label="Preview">
      <div class="toolbar">
        {channel === undefined ? (
          <span class="faint">Preview</span>
        ) : (
          <label>
            <span class="hidden">Preview for</span>
            <select value={channel} onChange={({ currentTarget }) => setChannel(currentTarget.value as ChannelName)}>
              {channels.map((name) => (
                <option key={name} value={name}>
                  {channelWords[name].name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <div class="preview-body">
        {channel === undefined ? (
          <p class="faint preview-note">
            Pages show the notes of versions, so a preview appears when the tag has arrived. The text can be edited
            until then, and is kept.
          </p>
        ) : isReady ? (
          <Shown of={{ ...loaded, data: shown }}>
            {({ channel: name, payload }) =>
              name === 'hosted' ? <Page payload={payload} /> : <Payload payload={payload} />
            }
          </Shown>
        ) : (
          <p class="faint preview-note">The preview appears when the draft is ready.</p>
        )}
      </div>
    </section>
  );
}

/** The page in a frame that can run no script. Links open in a new tab. */
function Page({ payload }: { payload: unknown }): JSX.Element {
  const { page } = payload as { page: { html: string; version: string } };
  const stylesheet = `${location.origin}${base}/notes/style.css`;
  const source = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Preview</title><base target="_blank"><link rel="stylesheet" href="${stylesheet}"><main><article>${page.html}</article></main></html>`;
  return (
    <iframe
      title="Page as readers see it"
      srcdoc={source}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerpolicy="no-referrer"
    />
  );
}

function Payload({ payload }: { payload: unknown }): JSX.Element {
  const { body, ...rest } = (payload ?? {}) as Record<string, unknown>;
  if (typeof body !== 'string') return <pre class="payload">{JSON.stringify(payload, null, 2)}</pre>;
  return (
    <>
      <dl class="payload-fields">
        {Object.entries(rest).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      <pre class="payload">{body}</pre>
    </>
  );
}
