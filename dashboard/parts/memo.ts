/** Makes a component that is rendered again only if one of its properties has changed. */
import { Component, type ComponentType, h, type VNode } from 'preact';

/** The same in `preact/compat` would bring all of that package. */
export function memo<Props extends object>(component: ComponentType<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      for (const name in next) if (this.props[name as keyof Props] !== next[name]) return true;
      for (const name in this.props) if (!(name in next)) return true;
      return false;
    }

    override render(props: Props): VNode {
      return h(component as ComponentType<object>, props);
    }
  };
}
