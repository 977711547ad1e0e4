/** A page of HTML as Markdown: its title, and all of its content. */
import { parse } from 'parse5'
import { parseUrl } from '../../../../outbound/parse_url.ts'
import { type ImportWarning, warningsOf } from '../../warnings.ts'
import { PageWriter } from './blocks.ts'
import { find, plainText } from './nodes.ts'
import { baseOf, structuredBlocks } from './structured_data.ts'

export type Page = { title: string | undefined; content: string; warnings: ImportWarning[] }

/** `url`: address of the page, to which its links relate. */
export function readPage(html: string, url: string | null): Page {
  const page = parse(html, { scriptingEnabled: false })
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
  const content = titled([text, ...more].filter((block) => block !== '').join('\n\n'), title)
  return { title, content, warnings: warningsOf({ navigation_left_out: navigations, embedded_left_out: embedded }) }
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
