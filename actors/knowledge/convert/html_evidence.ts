/** Tells HTML from Markdown and plain text, in which tags may occur. */

/** Comments and prologs before HTML that are skipped. */
const MAX_SKIPPED = 20
/** Tags that only a whole page begins with. */
const PAGE_START = /^<(?:!doctype\s+html|html|head|body)[\s>]/i
const ELEMENTS = new Set(
  `a abbr acronym address area article aside audio b base basefont bdi bdo big blockquote body br button canvas caption center
  cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font
  footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main
  map mark menu meta meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp
  script search section select slot small source span strike strong style sub summary sup svg table tbody td template
  textarea tfoot th thead time title tr track tt u ul var video wbr`.split(/\s+/),
)
/** Elements that stand in a line; a text may mention a few. */
const INLINE = new Set(
  'a abbr b cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)
const TAG = /<(\/?)([a-z][a-z0-9]{0,15})(?=[\s/>])[^<>]{0,500}>/gi
/** Lines that are Markdown, and would run together in HTML. */
const MARKDOWN = /^(?:#{1,6} |```|~~~|[-*+] |\d{1,3}[.)] |> |\|.*\||={3,}$)/gm

/**
 * True for a page, and for a part of one: a text that begins with a tag, or in which blocks begin and end. Markdown with
 * some HTML in it is Markdown.
 */
export function isHtml(text: string): boolean {
  const at = start(text)
  if (at === undefined) return false
  if (PAGE_START.test(text.slice(at, at + 32))) return true
  const body = text.slice(at)
  const name = /^<([a-z][a-z0-9]{0,15})(?=[\s/>])/i.exec(body.slice(0, 20))?.[1]?.toLowerCase()
  const begins = name !== undefined && ELEMENTS.has(name)
  const marks = body.match(MARKDOWN)?.length ?? 0
  const blocks = blocksIn(body)
  if (marks > 0) return begins && blocks >= marks
  return blocks >= 1 || (begins && (body.includes('</') || name === 'title' || name === 'meta' || name === 'p'))
}

/** The place after white space, prologs and comments; undefined when one of them does not end. */
function start(text: string): number | undefined {
  let at = skipBlank(text, text.startsWith('\ufeff') ? 1 : 0)
  for (let skipped = 0; skipped < MAX_SKIPPED; skipped++) {
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?', at) ? '>' : undefined
    if (end === undefined) break
    const ended = text.indexOf(end, at)
    if (ended < 0) return undefined
    at = skipBlank(text, ended + end.length)
  }
  return at
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

/** Blocks that begin and end, or end a line. A text about HTML names tags without closing them, or in quotes. */
function blocksIn(text: string): number {
  const begun = new Map<string, number>()
  let blocks = 0
  for (const [tag, end, written = ''] of text.matchAll(TAG)) {
    const name = written.toLowerCase()
    if (!ELEMENTS.has(name) || INLINE.has(name) || tag.includes('`')) continue
    const open = begun.get(name) ?? 0
    // One alone may be what a text is about.
    if (name === 'br' || name === 'hr') blocks += 0.5
    else if (end === '') begun.set(name, open + 1)
    else if (open > 0) {
      begun.set(name, open - 1)
      blocks++
    }
  }
  return blocks
}
