/** Creates elements without HTML, so that the content of messages stays text. */

type Child = Node | string | false | null | undefined
type Attribute = string | number | boolean | null | undefined | ((event: Event) => unknown)

/** `h('a', { href, class: 'link', onclick }, 'text', child, …)`; null and false are left out. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Attribute> = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.flat().filter(isShown))
  return element
}

function isShown(child: Child): child is Node | string {
  return child !== undefined && child !== null && child !== false && child !== ''
}

/** The address when it is a web address, else undefined: no scripts, no files of the visitor's machine. */
export function safeUrl(text: string | undefined) {
  try {
    const url = new URL(String(text))
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
  } catch {
    return undefined
  }
}

/** A link to another page, without a referrer; only its text when the address is not safe. */
export function link(url: string | undefined, attributes: Record<string, Attribute>, ...children: Child[]) {
  const href = safeUrl(url)
  if (!href) return h('span', {}, ...children)
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', ...attributes }, ...children)
}

/** A text whose addresses are links. */
export function withLinks(text: string) {
  return String(text)
    .split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/)
    .map((part, index) => (index % 2 === 1 ? link(part, {}, part) : part))
}
