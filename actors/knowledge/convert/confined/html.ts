/** HTML to Markdown: the main part of a page, without navigation, advertising and scripts. */
import { Defuddle } from 'defuddle/node'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { decodeText, htmlCharset } from '../decode.ts'
import type { Parsed } from './parsed.ts'

/** Elements of a page that are no text. */
const CLUTTER = 'title, script, style, noscript, template, iframe, svg, img, picture, video, audio, nav'

/** `url`: address of the page, to which its links relate. */
export async function parseHtml(bytes: Uint8Array, url: string | null): Promise<Parsed> {
  const text = decodeText(bytes, htmlCharset)
  const { document } = parseHTML(/<html[\s>]/i.test(text) ? text : `<html><head></head><body>${text}</body></html>`)
  const whole = document.querySelector('title')?.textContent
  const options = { markdown: true, useAsync: false, fetch: refuse }
  const found = await Defuddle(document as never, url ?? undefined, options).catch(() => undefined)
  const content = found && found.wordCount > 0 ? found.content : everything(text)
  const title = found?.title || whole
  return { title, content: titled(content, title) }
}

/** Nothing is fetched, whatever a page looks like. */
function refuse(): Promise<Response> {
  return Promise.reject(new Error('not allowed'))
}

/** The whole body, for pages of which no main part is found. The first reading has changed its document. */
function everything(text: string): string {
  const { document } = parseHTML(`<html><body>${text}</body></html>`)
  for (const element of document.querySelectorAll(CLUTTER)) element.remove()
  const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  return turndown.turndown(document.body as never)
}

/** The title is part of the text: the extraction leaves out the heading that repeats it. */
function titled(content: string, title: string | null | undefined): string {
  const text = (title ?? '').replaceAll(/\s+/g, ' ').trim()
  const start = content.trim().slice(0, 2_000)
  const heading = /^#{1,6} (.+)/.exec(start)?.[1]
  const is_there = text === '' || start === '' || start.includes(text) || (heading && text.includes(heading))
  return is_there ? content : `# ${text}\n\n${content}`
}
