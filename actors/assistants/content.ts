/**
 * The text of a block and its structure. A text has three conventions: `- ` begins a bullet, `1. ` a numbered item, `# `
 * a heading; other lines are paragraphs. A line that is indented by two spaces belongs to the item above it.
 *
 *  C1 `parseContent(renderContent(items))` equals `items` for all items that `readPayload` returns.
 *  C2 No text is refused: a line that fits no convention is a paragraph.
 *  C3 Rendering what was parsed changes only white space: indentation that is not a multiple of two, blank lines beyond
 *     one, white space at the ends of lines. Leading zeros of a number are dropped as well.
 *  C4 The time is linear in the text.
 */
import { isObject } from '../values/is_object.ts'

/** `spaced`: a blank line precedes the item. Between two paragraphs there always is one. */
type Spaced = { spaced?: true }

export type ContentItem = Spaced &
  (
    | { kind: 'heading'; level: number; text: string }
    /** The text may have several lines. */
    | { kind: 'paragraph'; text: string }
    | { kind: 'bullet'; text: string; items: ContentItem[] }
    | { kind: 'number'; number: number; text: string; items: ContentItem[] }
  )

/** Maximum levels of nesting. Deeper lines belong to the last level. */
export const MAX_LEVELS = 8
const MAX_HEADING_LEVELS = 6
const MAX_NUMBER = 999_999_999
const INDENTATION = '  '

const HEADING = /^(#{1,6})[ \t]+/
const BULLET = /^-[ \t]+/
const NUMBER = /^(\d{1,9})\.[ \t]+/

/** The structure of a text. */
export function parseContent(text: string): ContentItem[] {
  const root: ContentItem[] = []
  /** The list of each level that the next line may belong to. */
  const lists = [root]
  /** The list whose last item is a paragraph that the next line may continue. */
  let continued: ContentItem[] | undefined
  let is_spaced = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const trimmed = line.trim()
    if (trimmed === '') {
      continued = undefined
      is_spaced = root.length > 0
      continue
    }
    const level = Math.min(levelOf(line), lists.length - 1)
    lists.length = level + 1
    const list = lists[level]!
    const item = itemOf(trimmed)
    if (item.kind === 'paragraph' && continued === list) {
      const last = list.at(-1)!
      last.text += `\n${trimmed}`
      continue
    }
    if (is_spaced) item.spaced = true
    is_spaced = false
    list.push(item)
    continued = item.kind === 'paragraph' ? list : undefined
    if ('items' in item && lists.length < MAX_LEVELS) lists.push(item.items)
  }
  return root
}

/** A tab counts as two spaces. */
function levelOf(line: string): number {
  let columns = 0
  for (let at = 0; line[at] === ' ' || line[at] === '\t'; at++) columns += line[at] === ' ' ? 1 : 2
  return Math.floor(columns / INDENTATION.length)
}

function itemOf(line: string): ContentItem {
  const heading = HEADING.exec(line)
  if (heading) return { kind: 'heading', level: heading[1]!.length, text: rest(line, heading) }
  const bullet = BULLET.exec(line)
  if (bullet) return { kind: 'bullet', text: rest(line, bullet), items: [] }
  const number = NUMBER.exec(line)
  if (number) return { kind: 'number', number: Number(number[1]), text: rest(line, number), items: [] }
  return { kind: 'paragraph', text: line }
}

function rest(line: string, [marker]: RegExpExecArray): string {
  return line.slice(marker.length).trim()
}

/** The text of a structure. `below` moves all headings down by so many levels. */
export function renderContent(items: readonly ContentItem[], { below = 0 } = {}): string {
  const lines: string[] = []
  renderInto(lines, items, '', below)
  return lines.join('\n')
}

function renderInto(lines: string[], items: readonly ContentItem[], indent: string, below: number): void {
  let was_paragraph = false
  for (const item of items) {
    const is_paragraph = item.kind === 'paragraph'
    if (lines.length > 0 && (item.spaced || (is_paragraph && was_paragraph))) lines.push('')
    was_paragraph = is_paragraph
    if (is_paragraph) for (const line of item.text.split('\n')) lines.push(indent + line)
    else lines.push(`${indent}${markerOf(item, below)} ${item.text}`)
    if ('items' in item) renderInto(lines, item.items, indent + INDENTATION, below)
  }
}

function markerOf(item: Exclude<ContentItem, { kind: 'paragraph' }>, below: number): string {
  if (item.kind === 'bullet') return '-'
  if (item.kind === 'number') return `${item.number}.`
  return '#'.repeat(Math.min(item.level + below, MAX_HEADING_LEVELS))
}

/** `path`: position in the payload. `message` continues it. */
export type PayloadFault = { path: (string | number)[]; message: string }

const FIELDS = {
  heading: ['kind', 'spaced', 'text', 'level'],
  paragraph: ['kind', 'spaced', 'text'],
  bullet: ['kind', 'spaced', 'text', 'items'],
  number: ['kind', 'spaced', 'text', 'number', 'items'],
} as const satisfies Record<ContentItem['kind'], string[]>

/** More faults than this in an answer would not help. */
const MAX_FAULTS = 100

/**
 * The structure in a client's payload, `{ items: [...] }`. Missing numbers continue from the item before, beginning at
 * 1; missing lists are empty. With faults the items are incomplete.
 */
export function readPayload(payload: unknown): { items: ContentItem[]; faults: PayloadFault[] } {
  const faults: PayloadFault[] = []
  const say = (path: PayloadFault['path'], message: string) => {
    if (faults.length < MAX_FAULTS) faults.push({ path, message })
  }
  if (!isObject(payload)) {
    say([], 'must be an object with items')
    return { items: [], faults }
  }
  for (const key of Object.keys(payload)) if (key !== 'items') say([key], 'is not known here; remove it')
  const items = readItems(payload.items, ['items'], 1, say)
  if (items[0]?.spaced) delete items[0].spaced
  return { items, faults }
}

type Say = (path: PayloadFault['path'], message: string) => void

function readItems(list: unknown, path: PayloadFault['path'], level: number, say: Say): ContentItem[] {
  if (!Array.isArray(list)) {
    say(path, list === undefined ? 'is required' : 'must be a list')
    return []
  }
  if (level > MAX_LEVELS && list.length > 0) {
    say(path, `must be empty: items nest at most ${MAX_LEVELS} levels deep`)
    return []
  }
  const items: ContentItem[] = []
  for (const [at, input] of list.entries()) {
    const item = readItem(input, [...path, at], level, say)
    if (!item) continue
    const before = items.at(-1)
    if (item.kind === 'paragraph' && before?.kind === 'paragraph') item.spaced = true
    if (item.kind === 'number' && !Number.isInteger(item.number)) {
      item.number = before?.kind === 'number' ? Math.min(before.number + 1, MAX_NUMBER) : 1
    }
    items.push(item)
  }
  return items
}

function readItem(input: unknown, path: PayloadFault['path'], level: number, say: Say): ContentItem | undefined {
  if (!isObject(input)) {
    say(path, 'must be an object')
    return undefined
  }
  const { kind } = input
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) {
    say([...path, 'kind'], `must be one of ${Object.keys(FIELDS).join(', ')}`)
    return undefined
  }
  const known: readonly string[] = FIELDS[kind as ContentItem['kind']]
  for (const key of Object.keys(input)) if (!known.includes(key)) say([...path, key], 'is not known here; remove it')
  const spaced = readSpaced(input.spaced, path, say)
  const text = readText(input.text, kind === 'paragraph', path, say)
  if (kind === 'paragraph') return { kind, text, ...spaced }
  if (kind === 'heading') return { kind, level: readHeadingLevel(input.level, path, say), text, ...spaced }
  const items = input.items === undefined ? [] : readItems(input.items, [...path, 'items'], level + 1, say)
  if (kind === 'bullet') return { kind, text, items, ...spaced }
  return { kind: 'number', number: readNumber(input.number, path, say), text, items, ...spaced }
}

function readSpaced(value: unknown, path: PayloadFault['path'], say: Say): Spaced {
  if (value !== undefined && typeof value !== 'boolean') say([...path, 'spaced'], 'must be true or false')
  return value === true ? { spaced: true } : {}
}

/** NaN when it is missing. */
function readNumber(value: unknown, path: PayloadFault['path'], say: Say): number {
  if (value === undefined) return Number.NaN
  if (isWhole(value, 0, MAX_NUMBER)) return value
  say([...path, 'number'], `must be a whole number from 0 to ${MAX_NUMBER}`)
  return 0
}

function readHeadingLevel(value: unknown, path: PayloadFault['path'], say: Say): number {
  if (value === undefined) return 1
  if (isWhole(value, 1, MAX_HEADING_LEVELS)) return value
  say([...path, 'level'], `must be a whole number from 1 to ${MAX_HEADING_LEVELS}`)
  return 1
}

/** A text that is read again as it is written: trimmed, and without a marker where it would begin an item. */
function readText(value: unknown, is_paragraph: boolean, path: PayloadFault['path'], say: Say): string {
  const at = [...path, 'text']
  if (typeof value !== 'string') {
    say(at, value === undefined ? 'is required' : 'must be a string')
    return ''
  }
  const lines = value.split(is_paragraph ? '\n' : /\r\n|\r|\n/)
  if (!is_paragraph && lines.length > 1) say(at, 'must be one line; put further text into items')
  else if (lines.some((line) => line === '' || line !== line.trim() || line.includes('\r'))) {
    say(at, 'must not be empty, and no line may be blank or begin or end with white space')
  } else if (is_paragraph && lines.some((line) => itemOf(line).kind !== 'paragraph')) {
    say(at, 'has a line that begins as a bullet, a number or a heading: make it an item of that kind')
  }
  return value
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}
