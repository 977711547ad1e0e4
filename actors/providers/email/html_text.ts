/**
 * The words of an HTML mail whose sender gave no text: for reading, not for showing as HTML again. Strangers write the
 * HTML, so what its shape could blow up is bounded: input, depth, marks of quotes, text.
 */
import { compile, type Formatter } from 'html-to-text'

/** Characters of HTML that are read. As many tags inside one another take the parser half a second; twice as many, two. */
const LONGEST_HTML = 131_072
/** Characters. */
const LONGEST_TEXT = 200_000
/** Mails of long conversations and of some editors have hundreds of elements inside one another. */
const DEEPEST = 500
/** Each mark costs its length on every line. */
const MOST_QUOTES = 8

type Place = { quotes: number; links: number }

const quote: Formatter<Place> = (element, walk, builder) => {
  const place = builder.metadata
  place.quotes += 1
  builder.openBlock({ leadingLineBreaks: 2 })
  walk(element.children, builder)
  const mark = (text: string) => text.trim().replaceAll(/^/gm, '> ')
  builder.closeBlock({ trailingLineBreaks: 2, ...(place.quotes <= MOST_QUOTES && { blockTransform: mark }) })
  place.quotes -= 1
}

/** The library looks at each word once for every link around it; browsers know no link inside another either. */
const link: Formatter<Place> = (element, walk, builder, options) => {
  const place = builder.metadata
  place.links += 1
  if (place.links > 1) walk(element.children, builder)
  else builder.options.formatters.anchor!(element, walk, builder, options)
  place.links -= 1
}

/** Indenting what is in lists would cost as many spaces on each line as lists are inside one another. */
const item: Formatter<Place> = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 })
  builder.addLiteral('* ')
  walk(element.children, builder)
  builder.closeBlock({ trailingLineBreaks: 1 })
}

const ROWS = { leadingLineBreaks: 1, trailingLineBreaks: 1 }

const convert = compile<Place>({
  wordwrap: false,
  limits: { maxDepth: DEEPEST, ellipsis: '[…]' },
  formatters: { quote, link, item },
  selectors: [
    { selector: 'a', format: 'link', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'blockquote', format: 'quote' },
    { selector: 'head', format: 'skip' },
    { selector: 'hr', options: { length: 3 } },
    { selector: 'img', format: 'skip' },
    { selector: 'li', format: 'item' },
    { selector: 'ol', format: 'block', options: ROWS },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'title', format: 'skip' },
    { selector: 'table', options: ROWS },
    { selector: 'tr', format: 'block', options: ROWS },
    { selector: 'ul', format: 'block', options: ROWS },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
})

/** At most 200,000 characters, with `[…]` where something is left out. Synchronous: for a thread of its own. */
export function htmlText(html: string): string {
  const text = convert(html.slice(0, LONGEST_HTML), { quotes: 0, links: 0 }).trim()
  const is_cut = html.length > LONGEST_HTML || text.length > LONGEST_TEXT
  return is_cut ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}\n[…]` : text
}
