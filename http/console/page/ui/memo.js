/** Components that are drawn again only when one of their properties changes. */
import { html } from 'htm/preact'
import { Component } from 'preact'

/**
 * Signals that the component reads are followed as ever.
 *
 * @template {object} Props
 * @param {(props: Props) => import('preact').ComponentChild} draw
 */
export function memo(draw) {
  /** @extends {Component<Props>} */
  return class extends Component {
    /**
     * @override
     * @param {Props} next
     */
    shouldComponentUpdate(next) {
      const before = /** @type {Record<string, unknown>} */ (this.props)
      const after = /** @type {Record<string, unknown>} */ (next)
      return Object.keys({ ...before, ...after }).some((name) => before[name] !== after[name])
    }

    /**
     * @override
     * @param {Props} props
     */
    render(props) {
      return html`<${draw} ...${props} />`
    }
  }
}
