/** Components that are drawn again only when one of their properties changes. */
import { Component, type ComponentChild } from 'preact'

/** Signals that the component reads are followed as ever. */
export function memo<Props extends object>(Draw: (props: Props) => ComponentChild) {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props) {
      const before = this.props as Record<string, unknown>
      const after = next as Record<string, unknown>
      return Object.keys({ ...before, ...after }).some((name) => before[name] !== after[name])
    }

    override render(props: Props) {
      return <Draw {...props} />
    }
  }
}
