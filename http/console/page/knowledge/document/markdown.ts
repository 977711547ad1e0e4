/**
 * Markdown as blocks, for the preview of a document: headings, paragraphs, lists, quotes, code, tables and rules, with
 * what `inlines.ts` finds in them. HTML stays text. The work grows with the length of the text alone: nesting has a limit.
 * No DOM.
 */
import { type Inline, inlinesOf, MAX_DEPTH } from './inlines.ts'

type Align = 'left' | 'center' | 'right' | undefined
type Item = { blocks: Block[]; is_done: boolean | undefined }
export type Block =
  | { kind: 'heading'; level: number; parts: Inline[] }
  | { kind: 'paragraph'; parts: Inline[] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; is_ordered: boolean; start: number; items: Item[] }
  | { kind: 'table'; align: Align[]; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' }

const MAX_COLUMNS = 40

const FENCE = /^ {0,3}(```+|~~~+)/
const HEADING = /^ {0,3}(#{1,6})(?![^ \t])/
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])( {1,4}|\t|$)/
const TASK = /^\[([ xX])\] /
const DELIMITER = /^:?-+:?$/

export function blocksOf(text: string): Block[] {
  return parse(text.replace(/\r\n?/g, '\n').split('\n'), 0)
}

function parse(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const taken = isBlank(line) ? { end: at + 1 } : take(lines, at, depth)
    if ('block' in taken && taken.block) blocks.push(taken.block)
    at = taken.end
  }
  return blocks
}

/** The block that begins at a line, and the line after it. */
function take(lines: readonly string[], at: number, depth: number): { block: Block; end: number } {
  const line = lines[at] ?? ''
  const [whole = '', fence] = FENCE.exec(line) ?? []
  if (fence !== undefined && isFence(line)) return takeCode(lines, at, fence, line.slice(whole.length))
  const heading = HEADING.exec(line)
  if (heading) {
    const parts = inlinesOf(withoutMarks(line.slice(heading[0].length)))
    return { block: { kind: 'heading', level: heading[1]?.length ?? 1, parts }, end: at + 1 }
  }
  if (RULE.test(line)) return { block: { kind: 'rule' }, end: at + 1 }
  if (depth < MAX_DEPTH && QUOTE.test(line)) return takeQuote(lines, at, depth)
  if (depth < MAX_DEPTH && ITEM.test(line)) return takeList(lines, at, depth)
  if (line.includes('|') && isDelimiter(lines[at + 1] ?? '')) return takeTable(lines, at)
  return takeParagraph(lines, at, depth)
}

function takeCode(
  lines: readonly string[],
  at: number,
  fence: string,
  language: string,
): { block: Block; end: number } {
  const text = []
  let end = at + 1
  for (; end < lines.length; end++) {
    const line = (lines[end] ?? '').trim()
    if (line.startsWith(fence) && line.replaceAll(fence.charAt(0), '') === '') break
    text.push(lines[end])
  }
  return { block: { kind: 'code', language: language.trim(), text: text.join('\n') }, end: end + 1 }
}

function takeQuote(lines: readonly string[], at: number, depth: number): { block: Block; end: number } {
  const inside = []
  let end = at
  for (; end < lines.length && !isBlank(lines[end]) && (QUOTE.test(lines[end] ?? '') || !begins(lines, end)); end++) {
    inside.push((lines[end] ?? '').replace(QUOTE, ''))
  }
  return { block: { kind: 'quote', blocks: parse(inside, depth + 1) }, end }
}

function takeList(lines: readonly string[], at: number, depth: number): { block: Block; end: number } {
  const [, lead = '', mark = '-'] = ITEM.exec(lines[at] ?? '') ?? []
  const is_ordered = /\d/.test(mark)
  const indent = lead.length
  const items: string[][] = []
  let inner = 0
  let end = at
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ''
    const item = ITEM.exec(line)
    const own = items.at(-1)
    if (item && (item[1]?.length ?? 0) <= indent + 1 && !RULE.test(line)) {
      if (/\d/.test(item[2] ?? '') !== is_ordered) break
      inner = item[0].length
      items.push([line.slice(inner)])
    } else if (isBlank(line)) {
      const next = lines[end + 1] ?? ''
      if (isBlank(next) || (indentOf(next) < Math.min(inner, indent + 2) && !ITEM.test(next))) break
      own?.push('')
    } else if (indentOf(line) >= Math.min(inner, indent + 2)) own?.push(line.slice(Math.min(inner, indentOf(line))))
    else if (!isBlank(lines[end - 1]) && !begins(lines, end)) own?.push(line)
    else break
  }
  const parsed: Item[] = items.map(([first = '', ...rest]) => {
    const task = TASK.exec(first)
    const text = task ? first.slice(task[0].length) : first
    return { blocks: parse([text, ...rest], depth + 1), is_done: task ? task[1] !== ' ' : undefined }
  })
  return { block: { kind: 'list', is_ordered, start: Number.parseInt(mark, 10) || 1, items: parsed }, end }
}

function takeTable(lines: readonly string[], at: number): { block: Block; end: number } {
  const head = cellsOf(lines[at] ?? '')
  const align = cellsOf(lines[at + 1] ?? '').map((cell) => alignOf(cell))
  const rows = []
  let end = at + 2
  for (; end < lines.length && !isBlank(lines[end]) && (lines[end] ?? '').includes('|'); end++) {
    const cells = cellsOf(lines[end] ?? '')
    rows.push(head.map((_, column) => inlinesOf(cells[column] ?? '')))
  }
  return { block: { kind: 'table', align, head: head.map((cell) => inlinesOf(cell)), rows }, end }
}

function cellsOf(line: string) {
  const inside = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inside.split(/(?<!\\)\|/, MAX_COLUMNS).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function alignOf(cell: string): Align {
  if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right'
  return cell.startsWith(':') ? 'left' : undefined
}

function takeParagraph(lines: readonly string[], at: number, depth: number): { block: Block; end: number } {
  const text = [lines[at] ?? '']
  let end = at + 1
  for (; end < lines.length && !isBlank(lines[end]); end++) {
    const line = lines[end] ?? ''
    const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)
    if (underline) {
      const level = underline[1]?.startsWith('=') ? 1 : 2
      return { block: { kind: 'heading', level, parts: inlinesOf(text.join(' ').trim()) }, end: end + 1 }
    }
    if (begins(lines, end, depth)) break
    text.push(line)
  }
  return { block: { kind: 'paragraph', parts: inlinesOf(text.map((line) => line.trimStart()).join('\n')) }, end }
}

/** True when a line begins another block than a paragraph. */
function begins(lines: readonly string[], at: number, depth: number = 0) {
  const line = lines[at] ?? ''
  if (isFence(line) || HEADING.test(line) || RULE.test(line)) return true
  return depth < MAX_DEPTH && (QUOTE.test(line) || ITEM.test(line))
}

/** A fence of backticks has none after it, which tells it from code in a line. */
function isFence(line: string) {
  const [whole, fence = ''] = FENCE.exec(line) ?? []
  return whole !== undefined && !(fence.startsWith('`') && line.slice(whole.length).includes('`'))
}

/** The text of a heading without the marks at its end. */
function withoutMarks(text: string) {
  const trimmed = text.trim()
  let end = trimmed.length
  while (trimmed[end - 1] === '#') end--
  return end === 0 || /\s/.test(trimmed.charAt(end - 1)) ? trimmed.slice(0, end).trimEnd() : trimmed
}

/** True for the line below the head of a table. */
function isDelimiter(line: string) {
  return line.includes('-') && cellsOf(line).every((cell) => DELIMITER.test(cell))
}

function isBlank(line: string | undefined = '') {
  return line.trim() === ''
}

function indentOf(line: string) {
  return line.length - line.trimStart().length
}
