/**
 * The whole content of a page as blocks of Markdown: paragraphs, headings, lists and tables, in the order of the page.
 * Whatever a page hides until somebody clicks is content like the rest. Only navigation, scripts and styles are left out.
 */

import { Blocks, type BlockWriter, bold } from './block_writer.ts'
import { addressOf, type InlineStyle, inlineMarkdown, linked } from './inline.ts'
import { Lines } from './lines.ts'
import { writeDefinitions, writeIndented, writeItems, writeList } from './lists.ts'
import {
  attribute,
  childrenOf,
  type Element,
  find,
  isBlock,
  isElement,
  isFrame,
  isHeading,
  isNavigation,
  isUnread,
  type Node,
  type Parent,
  plainText,
  textNode,
  verbatim,
} from './nodes.ts'
import { type PageOptions, PageState } from './page_state.ts'
import { tableBlocks } from './table.ts'

const MAX_LANGUAGE_LENGTH = 30

export class PageWriter implements BlockWriter {
  readonly state: PageState
  readonly #lines: Lines
  indents = 0
  /** The link around the blocks that come next; its first text gets the address. */
  #link: string | undefined

  constructor(page: Parent | Element, options: PageOptions) {
    this.state = new PageState(page, options)
    this.#lines = new Lines(this.state)
  }

  /** The blocks of all that is in the node. */
  blocksOf(node: Parent | Element): string[] {
    const out = new Blocks()
    this.#children(node, out)
    this.flush(out)
    return out.blocks
  }

  /** All that is in the node on one line, blocks included. */
  lineOf(node: Parent | Element, style?: InlineStyle): string {
    return this.#lines.lineOf(node, style)
  }

  #children(node: Parent | Element, out: Blocks): void {
    if (this.state.isTooDeep) {
      out.inline.text(plainText(node))
      return
    }
    this.state.within(() => {
      for (const child of childrenOf(node)) this.node(child, out)
    })
  }

  node(node: Node, out: Blocks): void {
    const text = textNode(node)
    if (text !== undefined) out.inline.text(text)
    else if (!isElement(node) || isUnread(node) || this.state.leavesOut(node)) return
    else if (isFrame(node)) this.#frame(node, out)
    else if (isBlock(node)) this.#block(node, out)
    else if (this.state.hasBlocks(node)) {
      // A card that is a link as a whole, or a button around a heading.
      const link = node.tagName === 'a' ? addressOf(node, 'href', this.state.base) : undefined
      this.flush(out)
      if (link) this.#link = link
      this.#children(node, out)
      this.flush(out)
      this.#link = undefined
    } else this.#lines.element(node, out.inline)
  }

  #frame(element: Element, out: Blocks): void {
    const page = this.state.pageIn(element)
    if (!page) return
    this.flush(out)
    this.state.withinFrame(() => this.#children(page, out))
    this.flush(out)
  }

  /** Ends the paragraph. */
  flush(out: Blocks): void {
    if (out.inline.isEmpty) return
    const text = inlineMarkdown(out.inline.take())
    out.add(text === '' ? '' : this.#withLink(text))
  }

  #withLink(text: string): string {
    const link = this.#link
    this.#link = undefined
    return link ? linked(text, link) : text
  }

  #block(element: Element, out: Blocks): void {
    const { tagName } = element
    this.flush(out)
    if (isHeading(element)) {
      const text = this.#withLink(this.lineOf(element))
      if (text !== '') out.add(`${'#'.repeat(Number(tagName[1]))} ${text}`)
    } else if (tagName === 'hr') out.add('---')
    else if (tagName === 'pre') out.add(fenced(element))
    else if (tagName === 'ul' || tagName === 'ol' || tagName === 'menu' || tagName === 'dir')
      writeList(element, out, this)
    else if (tagName === 'li') writeItems([element], () => '- ', out, this)
    else if (tagName === 'dl') writeDefinitions(element, out, this)
    else if (tagName === 'blockquote') writeIndented(element, { mark: () => '> ', rest: '> ' }, out, this)
    else if (tagName === 'table') this.state.within(() => out.addAll(tableBlocks(element, this)))
    else if (tagName === 'summary' || tagName === 'legend' || tagName === 'caption' || tagName === 'dt')
      out.addAll(this.labelOf(element))
    else {
      const write = () => this.#children(element, out)
      if (isNavigation(element)) this.state.withinKept(write)
      else write()
      this.flush(out)
    }
  }

  /** The name of what follows. */
  labelOf(element: Element): string[] {
    if (this.state.hasBlocks(element)) return this.blocksOf(element)
    const text = this.lineOf(element)
    return text === '' ? [] : [bold(text)]
  }
}

function fenced(element: Element): string {
  const text = verbatim(element).replace(/^\n/, '').trimEnd()
  if (text.trim() === '') return ''
  let longest = 2
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const code = find(element, ({ tagName }) => tagName === 'code') ?? element
  const language = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec((attribute(code, 'class') ?? '').slice(0, 500))?.[1] ?? ''
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language.slice(0, MAX_LANGUAGE_LENGTH)}\n${text}\n${fence}`
}
