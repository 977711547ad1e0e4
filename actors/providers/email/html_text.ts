/**
 * Extracts the text of an HTML mail whose sender gave none. The result is for reading, not for display as HTML.
 * Strangers write the HTML, so everything that its structure could inflate is bounded: input, depth, quote marks, text.
 */
import { compile, type Formatter, type Options } from 'html-to-text'

/** Maximum characters of HTML that are read. With this many nested tags the parser takes half a second; with twice as many, two. */
const MAX_HTML_LENGTH = 131_072
/** Maximum characters of the result. */
const MAX_TEXT_LENGTH = 200_000
/** Mails of long conversations and of some editors nest hundreds of elements. */
const MAX_DEPTH = 500
/** Each mark costs its length on every line. */
const MAX_QUOTES = 8

type Place = { quotes: number; links: number }

const quote: Formatter<Place> = (element, walk, builder) => {
  const place = builder.metadata
  place.quotes += 1
  builder.openBlock({ leadingLineBreaks: 2 })
  walk(element.children, builder)
  const mark = (text: string) => text.trim().replaceAll(/^/gm, '> ')
  builder.closeBlock({ trailingLineBreaks: 2, ...(place.quotes <= MAX_QUOTES && { blockTransform: mark }) })
  place.quotes -= 1
}

/** The library visits each word once for every link around it; browsers do not nest links either. */
const link: Formatter<Place> = (element, walk, builder, options) => {
  const place = builder.metadata
  place.links += 1
  if (place.links > 1) walk(element.children, builder)
  else builder.options.formatters.anchor!(element, walk, builder, options)
  place.links -= 1
}

/** Indenting lists would cost as many spaces on each line as there are nested lists. */
const item: Formatter<Place> = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 })
  builder.addLiteral('* ')
  walk(element.children, builder)
  builder.closeBlock({ trailingLineBreaks: 1 })
}

const ROWS = { leadingLineBreaks: 1, trailingLineBreaks: 1 }

const image: Formatter<Place> = ({ attribs: { alt = '' } }, _, builder) => {
  if (alt.trim() !== '') builder.addInline(`${alt.trim()} `)
}

const OPTIONS: Options<Place> = {
  wordwrap: false,
  // Gateways write their notices before and after the body, and scripts forget its tags.
  baseElements: { selectors: [] },
  limits: { maxDepth: MAX_DEPTH, ellipsis: '[…]' },
  formatters: { quote, link, item, image },
  selectors: [
    { selector: 'a', format: 'link', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'blockquote', format: 'quote' },
    { selector: 'body', format: 'block', options: ROWS },
    { selector: 'hr', options: { length: 3 } },
    { selector: 'img', format: 'skip' },
    { selector: 'li', format: 'item' },
    { selector: 'ol', format: 'block', options: ROWS },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
    ...['template', 'title', 'xml'].map((selector) => ({ selector, format: 'skip' })),
    { selector: 'table', options: ROWS },
    { selector: 'tr', format: 'block', options: ROWS },
    { selector: 'ul', format: 'block', options: ROWS },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
}

const convert = compile<Place>(OPTIONS)
/** For a mail that is all pictures. */
const convertPictures = compile<Place>({
  ...OPTIONS,
  selectors: [...OPTIONS.selectors.filter(({ selector }) => selector !== 'img'), { selector: 'img', format: 'image' }],
})

/** At most 200,000 characters, with `[…]` where text is left out. Synchronous: for a thread of its own. */
export function htmlText(html: string): string {
  const start = html.slice(0, MAX_HTML_LENGTH)
  const place = () => ({ quotes: 0, links: 0 })
  const text = convert(start, place()).trim() || convertPictures(start, place()).trim()
  const is_cut = html.length > MAX_HTML_LENGTH || text.length > MAX_TEXT_LENGTH
  return is_cut ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}\n[…]` : text
}
