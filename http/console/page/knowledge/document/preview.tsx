/** A document as it reads: Markdown as elements. Its text never becomes HTML. */
import type { ComponentChildren } from 'preact'
import { h } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { number } from '../../ui/format/format.ts'
import { useElement } from '../../ui/hooks.ts'
import { memo } from '../../ui/memo.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { mark } from '../search/marks.ts'
import { type Inline, safeAddress } from './inlines.ts'
import { type Block, blocksOf } from './markdown.ts'

/** Characters that are shown. */
const MAX = 60_000

/** `marks` are words to mark and to scroll to. */
export const Preview = memo(({ text, marks = '' }: { text: string; marks?: string }) => {
  const place = useElement<HTMLDivElement>()
  const blocks = useMemo(() => blocksOf(text.slice(0, MAX)), [text])
  useEffect(() => mark(place.current, marks), [marks, text])
  return (
    <div class="knowledge-text" ref={place}>
      {blocks.map((block, at) => (
        <BlockView block={block} key={at} />
      ))}
      {text.length > MAX && (
        <p class="faint">
          The preview shows the first {number(MAX)} of {number(text.length)} characters.
        </p>
      )}
    </div>
  )
})

function BlockView({ block }: { block: Block }): ComponentChildren {
  switch (block.kind) {
    case 'heading': {
      // The name of the document is the heading of the page.
      return h(`h${Math.min(6, block.level + 1)}`, null, inlines(block.parts))
    }
    case 'paragraph':
      return <p>{inlines(block.parts)}</p>
    case 'code':
      return (
        <pre tabindex={0} aria-label="Code">
          <code>{block.text}</code>
        </pre>
      )
    case 'quote':
      return <blockquote>{blocks(block.blocks)}</blockquote>
    case 'rule':
      return <hr />
    case 'list': {
      const items = block.items.map(({ blocks: inside, is_done }, at) => (
        <li class={is_done === undefined ? undefined : 'is-task'} key={at}>
          {is_done !== undefined && (
            <input type="checkbox" checked={is_done} disabled aria-label={is_done ? 'Done' : 'To do'} />
          )}
          {tight(inside)}
        </li>
      ))
      return block.is_ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>
    }
    default:
      return (
        <div class="knowledge-table" tabindex={0} role="group" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th scope="col" style={{ textAlign: block.align[at] }} key={at}>
                    {inlines(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td style={{ textAlign: block.align[column] }} key={column}>
                      {inlines(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
  }
}

function blocks(inside: Block[]) {
  return inside.map((block, at) => <BlockView block={block} key={at} />)
}

/** The first paragraph of an item stands without its own space. */
function tight([first, ...rest]: Block[]) {
  if (first?.kind !== 'paragraph') return blocks(first ? [first, ...rest] : [])
  return (
    <>
      <span>{inlines(first.parts)}</span>
      {blocks(rest)}
    </>
  )
}

function inlines(parts: Inline[]): ComponentChildren {
  return parts.map((part, at) => {
    if (typeof part === 'string') return part
    switch (part.kind) {
      case 'break':
        return <br key={at} />
      case 'code':
        return <code key={at}>{part.text}</code>
      case 'link':
        return (
          <Link href={part.href} key={at}>
            {inlines(part.parts)}
          </Link>
        )
      case 'image':
        return (
          <Link href={part.href} key={at}>
            <Icon name="image" /> {part.text || 'Picture'}
          </Link>
        )
      default:
        return <part.kind key={at}>{inlines(part.parts)}</part.kind>
    }
  })
}

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const address = safeAddress(href)
  if (!address) return <span title={href}>{children}</span>
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}
