/** Creates elements without HTML, so that the content of messages stays text. */

/** @typedef {Node | string | false | null | undefined} Child */
/** @typedef {string | number | boolean | null | undefined | ((event: Event) => unknown)} Attribute */

/**
 * `h('a', { href, class: 'link', onclick }, 'text', child, …)`; null and false are left out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} attributes
 * @param {(Child | Child[])[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.flat().filter(isShown))
  return element
}

/**
 * @param {Child} child
 * @returns {child is Node | string}
 */
function isShown(child) {
  return child !== undefined && child !== null && child !== false && child !== ''
}

/**
 * The address when it is a web address, else undefined: no scripts, no files of the visitor's machine.
 *
 * @param {string | undefined} text
 */
export function safeUrl(text) {
  try {
    const url = new URL(String(text))
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
  } catch {
    return undefined
  }
}

/**
 * A link to another page, without a referrer; only its text when the address is not safe.
 *
 * @param {string | undefined} url
 * @param {Record<string, Attribute>} attributes
 * @param {Child[]} children
 */
export function link(url, attributes, ...children) {
  const href = safeUrl(url)
  if (!href) return h('span', {}, ...children)
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', ...attributes }, ...children)
}

/**
 * A text whose addresses are links.
 *
 * @param {string} text
 */
export function withLinks(text) {
  return String(text)
    .split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/)
    .map((part, index) => (index % 2 === 1 ? link(part, {}, part) : part))
}
