/** Shows a part of a screen whose code is loaded when it opens, so that the first screen loads less. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from './feedback.tsx';
import { Icon } from './icons.tsx';

/**
 * Makes a component of one whose code is loaded when it is shown first.
 * @param load imports the code and returns the component
 */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => JSX.Element {
  let loaded: ComponentType<Props> | undefined;
  return function Late(props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(loaded ? 'loaded' : 'loading');
    useEffect(() => {
      if (loaded) return;
      load().then(
        (component) => {
          loaded = component;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, []);
    if (loaded) {
      const Part = loaded;
      return <Part {...props} />;
    }
    return state === 'failed' ? <Failed /> : <Skeleton />;
  };
}

/** A newer version of the service has files of other names, so only the page itself can be loaded again. */
function Failed(): JSX.Element {
  return (
    <div class="box bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>This part of the dashboard could not be loaded. Perhaps the service was updated.</p>
        <button type="button" class="small" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    </div>
  );
}
