/** A document as it reads: Markdown as elements. Its text never becomes HTML. */
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { number } from '../ui/format.js'
import { useElement } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { memo } from '../ui/memo.js'
import { safeAddress } from './inlines.js'
import { blocksOf } from './markdown.js'
import { mark } from './marks.js'

/** @typedef {import('./markdown.js').Block} Block */
/** @typedef {import('./inlines.js').Inline} Inline */

/** Characters that are shown. */
const MOST = 60_000

/**
 * `marks` are words to mark and to scroll to.
 *
 * @type {any}
 */
export const Preview = memo(
  /** @param {{ text: string, marks?: string }} props */ ({ text, marks = '' }) => {
    /** @type {import('preact').RefObject<HTMLElement>} */
    const place = useElement()
    const blocks = useMemo(() => blocksOf(text.slice(0, MOST)), [text])
    useEffect(() => mark(place.current, marks), [marks, text])
    return html`<div class="knowledge-text" ref=${place}>
      ${blocks.map((block, at) => html`<${BlockView} block=${block} key=${at} />`)}
      ${text.length > MOST && html`<p class="faint">The preview shows the first ${number(MOST)} of ${number(text.length)} characters.</p>`}
    </div>`
  },
)

/**
 * @param {{ block: Block }} props
 * @returns {any}
 */
function BlockView({ block }) {
  switch (block.kind) {
    case 'heading': {
      // The name of the document is the heading of the page.
      const tag = `h${Math.min(6, block.level + 1)}`
      return html`<${tag}>${inlines(block.parts)}<//>`
    }
    case 'paragraph':
      return html`<p>${inlines(block.parts)}</p>`
    case 'code':
      return html`<pre tabindex="0" aria-label="Code"><code>${block.text}</code></pre>`
    case 'quote':
      return html`<blockquote>${blocks(block.blocks)}</blockquote>`
    case 'rule':
      return html`<hr />`
    case 'list': {
      const items = block.items.map(
        ({ blocks: inside, is_done }, at) => html`<li class=${is_done === undefined ? undefined : 'is-task'} key=${at}>
          ${is_done !== undefined && html`<input type="checkbox" checked=${is_done} disabled aria-label=${is_done ? 'Done' : 'To do'} />`}
          ${tight(inside)}
        </li>`,
      )
      return block.is_ordered ? html`<ol start=${block.start}>${items}</ol>` : html`<ul>${items}</ul>`
    }
    default:
      return html`<div class="knowledge-table" tabindex="0" role="group" aria-label="Table">
        <table>
          <thead><tr>${block.head.map((cell, at) => html`<th scope="col" style=${{ textAlign: block.align[at] }} key=${at}>${inlines(cell)}</th>`)}</tr></thead>
          <tbody>
            ${block.rows.map((row, at) => html`<tr key=${at}>${row.map((cell, column) => html`<td style=${{ textAlign: block.align[column] }} key=${column}>${inlines(cell)}</td>`)}</tr>`)}
          </tbody>
        </table>
      </div>`
  }
}

/** @param {Block[]} inside */
function blocks(inside) {
  return inside.map((block, at) => html`<${BlockView} block=${block} key=${at} />`)
}

/** The first paragraph of an item stands without its own space. @param {Block[]} inside */
function tight([first, ...rest]) {
  if (first?.kind !== 'paragraph') return blocks(first ? [first, ...rest] : [])
  return html`<span>${inlines(first.parts)}</span>${blocks(rest)}`
}

/**
 * @param {Inline[]} parts
 * @returns {any}
 */
function inlines(parts) {
  return parts.map((part, at) => {
    if (typeof part === 'string') return part
    switch (part.kind) {
      case 'break':
        return html`<br key=${at} />`
      case 'code':
        return html`<code key=${at}>${part.text}</code>`
      case 'link':
        return html`<${Link} href=${part.href} key=${at}>${inlines(part.parts)}<//>`
      case 'image':
        return html`<${Link} href=${part.href} key=${at}><${Icon} name="image" /> ${part.text || 'Picture'}<//>`
      default:
        return html`<${part.kind} key=${at}>${inlines(part.parts)}<//>`
    }
  })
}

/**
 * @param {{ href: string, children: unknown }} props
 */
function Link({ href, children }) {
  const address = safeAddress(href)
  if (!address) return html`<span title=${href}>${children}</span>`
  return html`<a href=${address} target="_blank" rel="noopener noreferrer nofollow">${children}</a>`
}
