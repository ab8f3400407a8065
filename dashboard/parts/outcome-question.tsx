/** Asks whether a publication arrived whose receiver did not answer clearly, before it is sent a second time. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Publication } from '../../sdk/index.ts';
import { channelWords } from '../text/words.ts';
import { Icon } from './icons.tsx';

/**
 * @param place address where a person can look; null if it is not known
 * @param isBusy whether the publication is being sent, so that it cannot be sent once more
 */
export function OutcomeQuestion({
  publication,
  place,
  isBusy = false,
  onSend,
}: {
  publication: Publication;
  place: string | null;
  isBusy?: boolean;
  onSend: () => void;
}): JSX.Element {
  const [isThere, setThere] = useState(false);
  const name = channelWords[publication.channel].name.toLowerCase();
  return (
    <section class="box warn" aria-label="Is it there?">
      <Icon name="warning" />
      {isThere ? (
        <p role="status">Then there is nothing to do. It is not sent again by itself.</p>
      ) : (
        <div>
          <p>
            <b>Is it there?</b> The receiver did not answer clearly, so the notes may have arrived or not. Look in the{' '}
            {place === null ? (
              name
            ) : (
              <a href={place} target="_blank" rel="noreferrer">
                {name}
              </a>
            )}{' '}
            first; sending again could publish them twice.
          </p>
          <p class="answers">
            <button type="button" class="small" onClick={() => setThere(true)}>
              Yes, it is there
            </button>
            <button type="button" class="small" disabled={isBusy} onClick={onSend}>
              No, send it again
            </button>
          </p>
        </div>
      )}
    </section>
  );
}
