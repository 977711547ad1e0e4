/** A page of HTML as Markdown: its title, and all of its content. */
import { parse } from 'parse5'
import { parseUrl } from '../../../../outbound/parse_url.ts'
import { ConversionFailed } from '../../failure.ts'
import { type ImportWarning, warningsOf } from '../../warnings.ts'
import { PageWriter } from './blocks.ts'
import { attribute, find, isElement, type Parent, plainText, walk } from './nodes.ts'
import { baseOf, structuredBlocks } from './structured_data.ts'

export type Page = { title: string | undefined; content: string; warnings: ImportWarning[] }

/**
 * `url`: address of the page, to which its links relate.
 *
 * @throws {ConversionFailed} `made_by_scripts`
 */
export function readPage(html: string, url: string | null): Page {
  const page = parse(isXml(html) ? withEnds(html) : html, { scriptingEnabled: false })
  const base = parseUrl(baseOf(page) ?? '', url ?? undefined)?.href ?? url
  const writer = new PageWriter(page, { base, keeps_navigation: false })
  let blocks = writer.blocksOf(page)
  let { navigations, embedded } = writer.state
  if (!hasText(blocks)) {
    // A page that is navigation alone.
    blocks = new PageWriter(page, { base, keeps_navigation: true }).blocksOf(page)
    navigations = 0
  }
  const text = blocks.join('\n\n')
  const more = structuredBlocks(page, text, (html) => textOf(html, base))
  const found = find(page, ({ tagName }) => tagName === 'title')
  const title = found && plainText(found)
  const body = [text, ...more].filter((block) => block !== '').join('\n\n')
  const scripts = isLittle(body) ? scriptsIn(page) : 0
  if (scripts > 0 && !hasText([body])) throw new ConversionFailed('made_by_scripts')
  const warnings = warningsOf({
    navigation_left_out: navigations,
    embedded_left_out: embedded,
    scripts_left_out: scripts,
  })
  return { title, content: titled(body, title), warnings }
}

/** Letters and digits of a page that scripts may still fill, such as "Loading" or "Please turn on JavaScript". */
const LITTLE = 120

function isLittle(text: string): boolean {
  return text.length < 10 * LITTLE && text.replaceAll(/[^\p{L}\p{N}]/gu, '').length < LITTLE
}

/** Scripts, and data for them; what search engines are told is read. */
function scriptsIn(page: Parent): number {
  let scripts = 0
  walk(page, (node) => {
    if (!isElement(node) || node.tagName !== 'script') return true
    if (!/ld\+json/i.test(attribute(node, 'type') ?? '')) scripts++
    return false
  })
  return scripts
}

/** A page that says it is XML, where any element may end in its own tag: `<script src="a.js"/>`. */
function isXml(html: string): boolean {
  return /^\s*<\?xml\s/.test(html.slice(0, 1_000))
}

const TAG = /<[a-z][^<>]*>/gi
/** Elements that HTML does not end there, and that would swallow what follows. */
const OPEN = /^<(a|b|div|em|i|iframe|li|noscript|p|script|span|strong|style|td|textarea|th|title|tr|ul)(?=[\s/])/i

/** The page with end tags where HTML needs them. */
function withEnds(html: string): string {
  return html.replaceAll(TAG, (tag) => {
    const name = tag.endsWith('/>') && OPEN.exec(tag.slice(0, 16))?.[1]
    return name ? `${tag.slice(0, -2)}></${name}>` : tag
  })
}

function textOf(html: string, base: string | null): string {
  if (!/[<&]/.test(html)) return html.replaceAll(/\s+/g, ' ').trim()
  const page = parse(html, { scriptingEnabled: false })
  return new PageWriter(page, { base, keeps_navigation: true }).blocksOf(page).join('\n\n')
}

function hasText(blocks: readonly string[]): boolean {
  return blocks.some((block) => /[\p{L}\p{N}]/u.test(block))
}

/** The title is part of the text: a heading often repeats it. */
function titled(content: string, title: string | undefined): string {
  const text = title ?? ''
  const start = content.slice(0, 2_000)
  const heading = /^#{1,6} (.+)/.exec(start)?.[1]
  const is_there = text === '' || content === '' || start.includes(text) || (heading && text.includes(heading))
  return is_there ? content : `# ${text}\n\n${content}`
}
