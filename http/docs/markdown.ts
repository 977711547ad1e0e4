/** Guides: Markdown becomes HTML with anchors, colored code, and links that lead to the pages of this site. */
import { Marked, Parser, Renderer, type Token, type Tokens } from 'marked'
import { highlighted } from './highlight.ts'
import { escaped, type Html, trusted } from './html.ts'

/** The target of a link of a guide, or undefined when this site does not have it. `title` is that of a guide. */
export type Resolve = (href: string) => { href: string; title?: string } | undefined

export type Heading = { depth: number; title: string; anchor: string }

/** The part of a guide from one heading to the next. */
export type Part = Heading & { words: string; says: string }

export type Guide = {
  title: string
  /** The first paragraph as text. */
  summary: string
  body: Html
  /** The headings below the title. */
  headings: Heading[]
}

/** The colored code of a sample, which the page gives a button that copies it. */
export function codeBlock(code: string, language: string): string {
  const text = highlighted(code.replace(/\n$/, ''), language)
  return `<div class="code"><pre tabindex="0"><code data-language="${escaped(language)}">${text}</code></pre></div>\n`
}

export function renderGuide(source: string, resolve: Resolve): Guide {
  const tokens = new Marked().lexer(source)
  const anchors = anchorsOf(tokens)
  const parser = new Parser({ renderer: new GuideRenderer(anchors, resolve) })
  const headings = [...anchors.values()]
  return {
    title: headings[0]?.title ?? '',
    summary: summaryOf(tokens),
    body: trusted(parser.parse(tokens)),
    headings: headings.slice(1),
  }
}

/** The first heading and the first paragraph. */
export function titleOf(source: string): { title: string; summary: string } {
  // Only the beginning is needed, and it ends with the first heading below the title.
  const tokens = new Marked().lexer(source.split('\n## ', 1)[0]!)
  const [first] = anchorsOf(tokens).values()
  return { title: first?.title ?? '', summary: summaryOf(tokens) }
}

/** The guide in parts, for the search. A word is there once in a part. */
export function partsOf(source: string): Part[] {
  const tokens = new Marked().lexer(source)
  const anchors = anchorsOf(tokens)
  const parts: (Heading & { texts: string[]; says: string })[] = []
  for (const token of tokens) {
    const heading = anchors.get(token)
    if (heading !== undefined) parts.push({ ...heading, texts: [], says: '' })
    else {
      const part = parts.at(-1)
      if (part?.says === '' && token.type === 'paragraph') part.says = clipped(plain([token]).replaceAll(/\s+/g, ' '))
      part?.texts.push(plain([token]))
    }
  }
  return parts.map(({ texts, ...heading }) => ({ ...heading, words: wordsOf(texts.join(' ')) }))
}

/** Each word of the text once, in lower case. */
export function wordsOf(text: string): string {
  return [...new Set(text.toLowerCase().match(/[\p{L}\d][\p{L}\d_./{}-]*/gu) ?? [])]
    .map((word) => word.replace(/[._/-]+$/, ''))
    .join(' ')
}

/** The source with links that lead to the Markdown of other guides, for programs that read it. */
export function withLinks(source: string, resolve: Resolve): string {
  // Code has no links: every second piece is a block of code.
  return source
    .split(/^(```[\s\S]*?^```)$/m)
    .map((piece, index) => (index % 2 === 1 ? piece : linked(piece, resolve)))
    .join('')
}

function linked(text: string, resolve: Resolve): string {
  return text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (_, image: string, label: string, href: string) => {
    const target = resolve(href)
    if (image) return ''
    return target === undefined ? label : `[${label}](${target.href})`
  })
}

class GuideRenderer extends Renderer {
  readonly #anchors: Map<Token, Heading>
  readonly #resolve: Resolve

  constructor(anchors: Map<Token, Heading>, resolve: Resolve) {
    super()
    this.#anchors = anchors
    this.#resolve = resolve
  }

  override heading(token: Tokens.Heading): string {
    const text = this.parser.parseInline(token.tokens)
    const heading = this.#anchors.get(token)
    if (token.depth === 1 || heading === undefined) return `<h1>${text}</h1>\n`
    const { anchor } = heading
    const link = `<a class="anchor" href="#${anchor}" aria-label="Link to ${escaped(heading.title)}">#</a>`
    return `<h${token.depth} id="${anchor}">${text} ${link}</h${token.depth}>\n`
  }

  override code({ text, lang = '' }: Tokens.Code): string {
    return codeBlock(text, lang)
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0">${super.table(token)}</div>\n`
  }

  override link({ href, tokens }: Tokens.Link): string {
    const target = this.#resolve(href)
    const text = this.parser.parseInline(tokens)
    if (target === undefined) return text
    // In the repository, links to pages are named after their files.
    const name = target.title !== undefined && text.endsWith('.md') ? escaped(target.title) : text
    return `<a href="${escaped(target.href)}">${name}</a>`
  }

  /** Pictures are in the repository alone: a page with some would use up what a stranger may read of this site. */
  override image(): string {
    return ''
  }

  /** Comments for programs, such as the marks of generated tables. */
  override html(): string {
    return ''
  }
}

/** The headings with the anchors that GitHub gives them, by their tokens. */
function anchorsOf(tokens: readonly Token[]): Map<Token, Heading> {
  const counts = new Map<string, number>()
  const headings = new Map<Token, Heading>()
  for (const token of tokens) {
    if (token.type !== 'heading') continue
    const title = plain(token.tokens ?? [])
    const name = title
      .toLowerCase()
      .replace(/[^\p{L}\d _-]/gu, '')
      .replaceAll(' ', '-')
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    headings.set(token, { depth: token.depth, title, anchor: before ? `${name}-${before}` : name })
  }
  return headings
}

function summaryOf(tokens: readonly Token[]): string {
  const paragraph = tokens.find(({ type }) => type === 'paragraph')
  return paragraph ? plain([paragraph]).replaceAll(/\s+/g, ' ').trim() : ''
}

/** The text without its marks. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows].map((row) => row.map((cell) => plain(cell.tokens)).join(' ')).join(' ')
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => plain(item.tokens)).join(' ')
      if (token.type === 'html') return ''
      const { tokens, text } = token as { tokens?: Token[]; text?: string }
      return tokens ? plain(tokens) : (text ?? '')
    })
    .join('')
}

const MAX_CHARACTERS = 140

/** The beginning of a text, up to the end of a sentence or of a word. */
export function clipped(text: string): string {
  const [sentence = text] = text.split(/(?<=\.) /, 1)
  if (sentence.length <= MAX_CHARACTERS) return sentence
  return `${sentence.slice(0, MAX_CHARACTERS).replace(/\s\S*$/, '')} …`
}
