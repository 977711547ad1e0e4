/** The contents of a line: text, links, pictures, the controls of a form. */
import { addressOf, Inline, type InlineStyle, inlineMarkdown, linked, markOf, raised } from './inline.ts'
import {
  attribute,
  childrenOf,
  type Element,
  find,
  isBlock,
  isElement,
  isUnread,
  type Node,
  type Parent,
  plainText,
  textNode,
  walk,
} from './nodes.ts'
import type { PageState } from './page_state.ts'

/** Elements in a line that are boxes, beside which a word ends. */
const BOXES = new Set(
  'area audio button canvas datalist iframe img input meter object picture progress select svg textarea video'.split(
    ' ',
  ),
)
/** Elements in a line that pages set apart by style: where two of them meet, a word ends. */
const STYLED = new Set('a data label output span text time title tspan'.split(' '))
/** Inputs whose value people read. */
const READ_INPUTS = new Set([
  'text',
  'button',
  'submit',
  'reset',
  'email',
  'tel',
  'url',
  'number',
  'search',
  'date',
  'time',
])

export class Lines {
  readonly #state: PageState

  constructor(state: PageState) {
    this.#state = state
  }

  /** All that is in the node on one line, blocks included. */
  lineOf(node: Parent | Element, style: InlineStyle = 'line'): string {
    const inline = new Inline()
    this.#state.within(() => this.read(childrenOf(node), inline))
    return inlineMarkdown(inline.take(), style)
  }

  /** Everything in one line: the blocks in it are kept apart by breaks. */
  read(nodes: readonly Node[], inline: Inline): void {
    for (const node of nodes) {
      const text = textNode(node)
      if (text !== undefined) inline.text(text)
      else if (!isElement(node) || isUnread(node) || this.#state.leavesOut(node)) continue
      else if (this.#state.isTooDeep) inline.text(` ${plainText(node)} `)
      else if (isBlock(node)) {
        inline.break()
        this.#state.within(() => this.read(childrenOf(node), inline))
        if (node.tagName === 'td' || node.tagName === 'th') inline.apart()
        else inline.break()
      } else this.element(node, inline)
    }
  }

  element(element: Element, inline: Inline): void {
    const { tagName } = element
    const is_box = BOXES.has(tagName)
    const is_styled = (STYLED.has(tagName) && !isLetter(element)) || tagName.includes('-')
    if (is_box) inline.apart()
    else if (is_styled) inline.enter()
    switch (tagName) {
      case 'br':
        inline.break()
        break
      case 'wbr':
        break
      case 'img':
        inline.marked(this.#picture(element))
        break
      case 'input':
        inline.text(valueIn(element))
        break
      case 'area':
        inline.text(attribute(element, 'alt') ?? '')
        break
      case 'iframe':
      case 'noframes':
      case 'noembed':
        this.#frame(element, inline)
        break
      case 'frame':
      case 'embed':
        if (isDocument(element, 'src')) this.#state.embedded++
        break
      case 'object':
        if (isDocument(element, 'data')) this.#state.embedded++
        this.#inside(element, inline)
        break
      case 'sup':
        inline.text(raised(plainText(element)))
        break
      case 'rt':
        inline.text('(')
        this.#inside(element, inline)
        inline.text(')')
        break
      case 'rp':
        break
      case 'abbr':
        this.#inside(element, inline)
        inline.text(expansionOf(element))
        break
      case 'a': {
        const inner = new Inline()
        inner.text(nameOf(element))
        this.#inside(element, inner)
        inline.marked(linked(inner.take(), addressOf(element, 'href', this.#state.base)))
        break
      }
      case 'select':
      case 'datalist':
        inline.text(optionsOf(element).join(', '))
        break
      default: {
        const mark = markOf(element)
        inline.text(nameOf(element))
        inline.mark(mark)
        this.#inside(element, inline)
        inline.mark(mark)
      }
    }
    if (is_box) inline.apart()
    else if (is_styled) inline.leave()
  }

  #inside(element: Element, inline: Inline): void {
    this.#state.within(() => this.read(childrenOf(element), inline))
  }

  #frame(element: Element, inline: Inline): void {
    const page = this.#state.pageIn(element)
    if (page) this.#state.withinFrame(() => this.read(page.childNodes, inline))
  }

  #picture(element: Element): string {
    const alternative = (attribute(element, 'alt') ?? '').replaceAll(/[\s[\]]+/g, ' ').trim()
    if (alternative === '') return ''
    const address = addressOf(element, 'src', this.#state.base)
    return address ? `![${alternative}](${address})` : alternative
  }
}

/** A page or a file that is shown here, in contrast to pictures and films. */
function isDocument(element: Element, name: string): boolean {
  const is_seen = /^(?:image|video|audio)\/|shockwave/i.test(attribute(element, 'type') ?? '')
  return (
    !is_seen &&
    !/\.(?:svg|png|gif|jpe?g|webp|swf|mp[34])(?:[?#]|$)/i.test(attribute(element, name) ?? '') &&
    (attribute(element, name) ?? '') !== ''
  )
}

/** A letter alone, such as a large first one, belongs to the word beside it. */
function isLetter({ childNodes }: Element): boolean {
  const [only] = childNodes
  const text = childNodes.length === 1 && only ? textNode(only) : undefined
  return text !== undefined && /^\s*\p{L}\s*$/u.test(text)
}

/** The value that a field shows. A mark that nobody can change tells yes from no. */
function valueIn(element: Element): string {
  const type = (attribute(element, 'type') ?? 'text').trim().toLowerCase()
  const is_fixed = attribute(element, 'disabled') !== undefined
  if ((type === 'checkbox' || type === 'radio') && is_fixed)
    return attribute(element, 'checked') === undefined ? '[ ]' : '[x]'
  if (type === 'image') return attribute(element, 'alt') ?? ''
  return READ_INPUTS.has(type) ? (attribute(element, 'value') ?? '') : ''
}

/** The name of a sign without text, such as a tick in a table. */
function nameOf(element: Element): string {
  const name = (attribute(element, 'aria-label') ?? attribute(element, 'title') ?? '').trim()
  const says = name === '' || find(element, ({ tagName }) => tagName === 'img') || plainText(element) !== ''
  return says ? '' : name
}

function optionsOf(element: Element): string[] {
  const options: string[] = []
  walk(element, (node) => {
    if (!isElement(node)) return true
    if (node.tagName === 'optgroup') options.push(attribute(node, 'label') ?? '')
    if (node.tagName !== 'option') return true
    options.push(plainText(node) || (attribute(node, 'label') ?? attribute(node, 'value') ?? ''))
    return false
  })
  return options.filter((option) => option !== '')
}

function expansionOf(element: Element): string {
  const title = (attribute(element, 'title') ?? '').trim()
  return title === '' || title === plainText(element) ? '' : ` (${title})`
}
