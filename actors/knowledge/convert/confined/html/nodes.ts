/** The nodes of a parsed page, as the conversion looks at them. */
import type { DefaultTreeAdapterTypes } from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element
export type Parent = DefaultTreeAdapterTypes.ParentNode

const BLOCKS = new Set(
  `address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption
  figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav noframes noscript ol
  p pre search section summary table tbody td template tfoot th thead tr ul`.split(/\s+/),
)
const HEADING = /^h[1-6]$/
/** Elements without text for people, and the head, whose title is read apart. */
const UNREAD = new Set([
  'script',
  'style',
  'head',
  'link',
  'meta',
  'base',
  'col',
  'colgroup',
  'param',
  'source',
  'track',
])

export function isElement(node: Node): node is Element {
  return 'tagName' in node
}

export function textNode(node: Node): string | undefined {
  return node.nodeName === '#text' ? (node as DefaultTreeAdapterTypes.TextNode).value : undefined
}

export function attribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((one) => one.name === name)?.value
}

/** The element around it; the one that has the template, for what is in one. */
export function parentOf(node: Node): Element | undefined {
  const { parentNode } = node as { parentNode?: (Parent & { host?: Element }) | null }
  if (!parentNode) return undefined
  return 'tagName' in parentNode ? (parentNode as Element) : parentNode.host
}

/** The children, those of a template included: it may be the shadow of its parent. */
export function childrenOf(node: Parent | Element): Node[] {
  const { content } = node as DefaultTreeAdapterTypes.Template
  return content ? content.childNodes : node.childNodes
}

export function isBlock({ tagName }: Element): boolean {
  return BLOCKS.has(tagName)
}

export function isHeading({ tagName }: Element): boolean {
  return HEADING.test(tagName)
}

/** Elements whose content is a page of its own, which the parser leaves as text. */
export function isFrame({ tagName }: Element): boolean {
  return tagName === 'iframe' || tagName === 'noframes' || tagName === 'noembed'
}

export function isUnread({ tagName }: Element): boolean {
  return UNREAD.has(tagName)
}

/** Navigation between pages and parts of a page. A role says more than the name of an element: tabs name what they show. */
export function isNavigation(element: Element): boolean {
  const role = attribute(element, 'role')?.trim().toLowerCase()
  return role ? role === 'navigation' : element.tagName === 'nav'
}

/** Visits all elements below the node in the order of the document. `visit` returns false to leave out what is inside. */
export function walk(node: Parent | Element, visit: (node: Node) => boolean): void {
  const left: Node[] = [...childrenOf(node)].reverse()
  for (let next = left.pop(); next; next = left.pop()) {
    if (!visit(next) || !isElement(next)) continue
    const children = childrenOf(next)
    for (let at = children.length - 1; at >= 0; at--) left.push(children[at]!)
  }
}

/** The text as a browser would copy it, more or less: blocks are apart. */
export function plainText(node: Parent | Element): string {
  const parts: string[] = []
  walk(node, (one) => {
    if (!isElement(one)) parts.push(textNode(one) ?? '')
    else if (isBlock(one) || one.tagName === 'br') parts.push(' ')
    return !isElement(one) || !isUnread(one)
  })
  return parts.join('').replaceAll(/\s+/g, ' ').trim()
}

/** The text as it stands, with its white space. */
export function verbatim(node: Parent | Element): string {
  const parts: string[] = []
  walk(node, (one) => {
    parts.push(textNode(one) ?? (isElement(one) && one.tagName === 'br' ? '\n' : ''))
    return true
  })
  return parts.join('')
}

/** The first element below the node that `is` accepts. */
export function find(node: Parent | Element, is: (element: Element) => boolean): Element | undefined {
  let found: Element | undefined
  walk(node, (one) => {
    if (!found && isElement(one) && is(one)) found = one
    return found === undefined
  })
  return found
}
