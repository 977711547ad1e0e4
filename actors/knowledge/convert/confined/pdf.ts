/** The text of a PDF, with its lines, paragraphs and headings as far as the layout shows them. */
import { getDocumentProxy } from 'unpdf'
import { ConversionFailed } from '../failure.ts'
import { type Line, markdownOf } from './layout.ts'
import type { Parsed } from './parsed.ts'

type TextItem = { str: string; transform: number[]; hasEOL: boolean }

/** Titles that programs write by themselves. */
const NO_TITLE = /^(?:untitled|unbenannt|document\d*|microsoft word - .*|.*\.(?:docx?|indd|tex|pptx?|xlsx?|odt|qxd))$/i

/** `longest`: characters after which reading ends. */
export async function parsePdf(bytes: Uint8Array, longest: number): Promise<Parsed> {
  const pdf = await open(bytes)
  const lines: Line[] = []
  let length = 0
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    for (const line of linesOf(items as TextItem[], number)) {
      lines.push(line)
      length += line.text.length + 1
    }
    // Characters of two units count once, and headings add signs; the exact check follows.
    if (length > 2 * longest) throw new ConversionFailed('too_long')
    page.cleanup()
  }
  const { content, heading } = markdownOf(lines)
  return { title: (await titleOf(pdf)) ?? heading, content }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), {
      useSystemFonts: false,
      disableFontFace: true,
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
    parts.push(str)
    if (str.trim() !== '') {
      size = Math.max(size, Math.round(Math.hypot(transform[2] ?? 0, transform[3] ?? 0) * 2) / 2)
      y = transform[5] ?? 0
    }
    if (hasEOL) end()
  }
  end()
  return lines
}
