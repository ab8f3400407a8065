/** Makes a component that is rendered again only if one of its properties has changed. */
import { Component, type ComponentType, h, type VNode } from 'preact';

/** The same in `preact/compat` would bring all of that package. */
export function memo<Props extends object>(component: ComponentType<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const names = new Set([...Object.keys(this.props), ...Object.keys(next)]) as Set<keyof Props>;
      return [...names].some((name) => this.props[name] !== next[name]);
    }

    override render(props: Props): VNode {
      return h(component as ComponentType<object>, props);
    }
  };
}
