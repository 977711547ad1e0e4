/** Creates elements without HTML, so that the content of messages stays text. */

/** `h('a', { href, class: 'link', onclick }, 'text', child, …)`; null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(
    ...children.flat().filter((child) => child !== undefined && child !== null && child !== false && child !== ''),
  )
  return element
}

/** The address when it is a web address, else undefined: no scripts, no files of the visitor's machine. */
export function safeUrl(text) {
  try {
    const url = new URL(text)
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
  } catch {
    return undefined
  }
}

/** A link to another page, without a referrer; only its text when the address is not safe. */
export function link(url, attributes, ...children) {
  const href = safeUrl(url)
  if (!href) return h('span', {}, ...children)
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', ...attributes }, ...children)
}

/** A text whose addresses are links. */
export function withLinks(text) {
  return String(text)
    .split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/)
    .map((part, index) => (index % 2 === 1 ? link(part, {}, part) : part))
}
