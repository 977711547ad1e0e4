/** The text of a PDF, with its lines, paragraphs and headings as far as the layout shows them. */
import { getDocumentProxy } from 'unpdf'
import { ConversionFailed } from '../failure.ts'
import { warningsOf } from '../warnings.ts'
import { type Line, markdownOf } from './layout.ts'
import type { Parsed } from './parsed.ts'
import { dataOptions } from './pdf_data.ts'
import { isPicture } from './pdf_picture.ts'

type TextItem = { str: string; transform: number[]; hasEOL: boolean; fontName: string }

/** The library's numbers of what a page draws: text, and changes of the state that draw nothing. */
const SHOW_TEXT = 44
const STATE_CHANGES = new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
/** Characters that programs print on a page that they scan, such as their names and the number of the page. */
const STAMP = 60
/** Pages on which new fonts are looked at. */
const MAX_FONT_PAGES = 100

/** Titles that programs write by themselves. */
const NO_TITLE = /^(?:untitled|unbenannt|document\d*|microsoft word - .*|.*\.(?:docx?|indd|tex|pptx?|xlsx?|odt|qxd))$/i

/** Text in fonts that say nothing of their letters, and signs without a meaning, are so many of a page that cannot be read. */
const MAX_UNKNOWN = 0.05
/** Signs that no standard gives a meaning, and a character that stands for none. */
const UNKNOWN = /[\ufffd\ue000-\uf8ff]/g
/** Bullets of the fonts of symbols, where their letters are signs. */
const BULLETS = /[\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc\uf076]/g

/** `longest`: characters after which reading ends. */
export async function parsePdf(bytes: Uint8Array, longest: number): Promise<Parsed> {
  const pdf = await open(bytes)
  const lines: Line[] = []
  const fonts = new Fonts()
  let [length, without_text, unreadable] = [0, 0, 0]
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    const read = await readPage(page, number, fonts)
    for (const line of read.lines) {
      lines.push(line)
      length += line.text.length + 1
    }
    if (read.state === 'unreadable') unreadable++
    if (read.state === 'without_text') without_text++
    // Characters of two units count once, and headings add signs; the exact check follows.
    if (length > 2 * longest) throw new ConversionFailed('too_long')
    page.cleanup()
  }
  if (lines.length === 0 && unreadable > 0) throw new ConversionFailed('unreadable_text')
  const attached = await pdf.getAttachments().catch(() => null)
  const { content, heading } = markdownOf(lines)
  const warnings = warningsOf({
    pages_without_text: without_text,
    text_unreadable: unreadable,
    attachments_left_out: attached ? Object.keys(attached).length || (attached as { size?: number }).size || 0 : 0,
  })
  return { title: (await titleOf(pdf)) ?? heading, content, warnings }
}

type PageText = {
  lines: Line[]
  /** `blank`: nothing is drawn. `unreadable`: a part of the text, or all of it. */
  state: 'read' | 'blank' | 'without_text' | 'unreadable'
}

async function readPage(page: Page, number: number, fonts: Fonts): Promise<PageText> {
  const { items, styles } = await page.getTextContent()
  const texts = items as TextItem[]
  await fonts.learn(page, Object.keys(styles))
  const readable = texts.filter(({ fontName }) => !fonts.isUnknown(fontName))
  const lines = [...linesOf(readable, number), ...(await formLines(page, number))]
  const text = readable.map(({ str }) => str).join('')
  const unknown = (text.replaceAll(BULLETS, '').match(UNKNOWN) ?? []).length
  const is_lost = texts.some(({ str, fontName }) => fonts.isUnknown(fontName) && str.trim() !== '')
  if (is_lost || unknown > MAX_UNKNOWN * text.length) return { lines, state: 'unreadable' }
  const letters = lines.reduce((sum, line) => sum + line.text.length, 0)
  if (letters > STAMP) return { lines, state: 'read' }
  const drawing = await page.getOperatorList()
  if (lines.length > 0) return { lines, state: isPicture(drawing, page.view) ? 'without_text' : 'read' }
  const { fnArray, argsArray } = drawing
  const glyphs = fnArray.flatMap((drawn, at) => (drawn === SHOW_TEXT ? ((argsArray[at]?.[0] ?? []) as Glyph[]) : []))
  // Words that leave no text, in contrast to spaces.
  if (glyphs.some((glyph) => typeof glyph === 'object' && glyph?.unicode?.trim() !== ''))
    return { lines, state: 'unreadable' }
  return { lines, state: fnArray.some((drawn) => !STATE_CHANGES.has(drawn)) ? 'without_text' : 'blank' }
}

/** Texts that people wrote into the fields of a form, and on top of the page. */
async function formLines(page: Page, number: number): Promise<Line[]> {
  const annotations = (await page.getAnnotations().catch(() => [])) as Annotation[]
  const lines = annotations.flatMap(({ subtype, fieldName, fieldValue, password, contentsObj, rect }) => {
    const value = [fieldValue].flat().filter((one) => typeof one === 'string' && one.trim() !== '')
    const written =
      subtype === 'Widget' && !password && value.length > 0 ? `${fieldName ?? ''}: ${value.join(', ')}` : ''
    const text = (subtype === 'FreeText' ? (contentsObj?.str ?? '') : written).replaceAll(/\s+/g, ' ').trim()
    return text === '' ? [] : [{ text, size: 0, y: rect?.[1] ?? 0, page: number }]
  })
  return lines.toSorted((one, other) => other.y - one.y)
}

/** Fonts whose codes have no letters. Their text would be read as other letters. */
class Fonts {
  readonly #known = new Set<string>()
  readonly #unknown = new Set<string>()
  #pages = 0

  isUnknown(name: string): boolean {
    return this.#unknown.has(name)
  }

  /** Looks at fonts that the page is the first to use. */
  async learn(page: Page, names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => !this.#known.has(name))
    if (fresh.length === 0 || this.#pages >= MAX_FONT_PAGES) return
    this.#pages++
    await page.getOperatorList()
    for (const name of fresh) {
      this.#known.add(name)
      if (!page.commonObjs.has(name)) continue
      const font = page.commonObjs.get(name) as { composite?: boolean; toUnicode?: object } | null
      // The library's map for "the code is the letter", for want of another.
      if (font?.composite && font.toUnicode && 'firstChar' in font.toUnicode) this.#unknown.add(name)
    }
  }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type Page = Awaited<ReturnType<Pdf['getPage']>>
/** A letter that is drawn, or the distance to the next one. */
type Glyph = { unicode?: string } | number | null
type Annotation = {
  subtype: string
  fieldName?: string
  fieldValue?: unknown
  password?: boolean
  contentsObj?: { str: string }
  rect?: number[]
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), {
      ...dataOptions,
      useSystemFonts: false,
      disableFontFace: true,
      fontExtraProperties: true,
      // Pictures are not looked at.
      maxImageSize: 1,
      verbosity: 0,
    })
  } catch (error) {
    if ((error as Error).name === 'PasswordException') throw new ConversionFailed('encrypted')
    throw error
  }
}

async function titleOf(pdf: Pdf): Promise<string | undefined> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }))
  const title = (info as { Title?: unknown }).Title
  if (typeof title !== 'string') return undefined
  const trimmed = title.slice(0, 1_000).trim()
  return trimmed === '' || NO_TITLE.test(trimmed) ? undefined : trimmed
}

function linesOf(items: TextItem[], page: number): Line[] {
  const lines: Line[] = []
  let parts: string[] = []
  let size = 0
  let y = 0
  const end = () => {
    const text = parts.join('').trim()
    if (text !== '') lines.push({ text, size, y, page })
    parts = []
    size = 0
  }
  for (const { str, transform, hasEOL } of items) {
    if (str === undefined) continue
    parts.push(str.replaceAll(BULLETS, '•'))
    if (str.trim() !== '') {
      size = Math.max(size, Math.round(Math.hypot(transform[2] ?? 0, transform[3] ?? 0) * 2) / 2)
      y = transform[5] ?? 0
    }
    if (hasEOL) end()
  }
  end()
  return lines
}
