/**
 * Tables. One whose cells are lines becomes a Markdown table, with the text of a cell that spans rows in each of them. One
 * whose cells hold tables, headings or paragraphs becomes a list of its rows, each value with the name of its column.
 */
import type { BlockWriter } from './block_writer.ts'
import { attribute, childrenOf, type Element, find, isElement, isHeading, type Node } from './nodes.ts'

/** A cell spans at most so many columns, and a table has at most so many. */
const MAX_COLUMNS = 200
/** Characters of a cell that are repeated in the rows that it spans. */
const MAX_REPEATED_LENGTH = 200
/** Cells that spans may add, as a multiple of the cells that are written. */
const MAX_ADDED = 4

type Cell = { element: Element; is_head: boolean }
type Row = { cells: Cell[]; is_head: boolean }

export function tableBlocks(table: Element, writer: BlockWriter): string[] {
  const { rows, others } = partsOf(table)
  const before = others.flatMap((part) => (part.tagName === 'caption' ? writer.labelOf(part) : writer.blocksOf(part)))
  const cells = rows.flatMap((row) => row.cells)
  const columns = rows.reduce((most, row) => Math.max(most, row.cells.length), 0)
  if (columns <= 1 || attribute(table, 'role') === 'presentation' || cells.some(({ element }) => isLarge(element)))
    return [...before, ...rowBlocks(rows, writer)]
  const grid = gridOf(rows, writer)
  const body = grid.filter((row) => row.some((text) => text !== ''))
  return body.length === 0 ? before : [...before, markdownTable(body)]
}

/** The rows of a table, without those of tables in its cells, and what else is in it. */
function partsOf(table: Element): { rows: Row[]; others: Element[] } {
  const rows: Row[] = []
  const others: Element[] = []
  const feet: Row[] = []
  const read = (nodes: readonly Node[], is_head: boolean, to: Row[]) => {
    for (const node of nodes) {
      if (!isElement(node)) continue
      if (node.tagName === 'tr') to.push(rowOf(node, is_head))
      else if (node.tagName === 'thead') read(childrenOf(node), true, to)
      else if (node.tagName === 'tbody') read(childrenOf(node), false, to)
      else if (node.tagName === 'tfoot') read(childrenOf(node), false, feet)
      else if (node.tagName !== 'colgroup' && node.tagName !== 'col') others.push(node)
    }
  }
  read(childrenOf(table), false, rows)
  return { rows: [...rows, ...feet].filter(({ cells }) => cells.length > 0), others }
}

function rowOf(row: Element, is_head: boolean): Row {
  const cells: Cell[] = []
  for (const node of childrenOf(row)) {
    if (isElement(node)) cells.push({ element: node, is_head: node.tagName === 'th' })
  }
  return { cells, is_head: is_head || (cells.length > 0 && cells.every((cell) => cell.is_head)) }
}

/** More than fits a line. */
function isLarge(cell: Element): boolean {
  let paragraphs = 0
  const large = find(cell, (one) => {
    if (one.tagName === 'p') paragraphs++
    return isHeading(one) || one.tagName === 'table' || one.tagName === 'pre' || one.tagName === 'blockquote'
  })
  return large !== undefined || paragraphs > 3
}

function gridOf(rows: readonly Row[], writer: BlockWriter): string[][] {
  const grid: string[][] = rows.map(() => [])
  let left = MAX_ADDED * rows.reduce((sum, { cells }) => sum + cells.length, 0) + 100
  for (const [y, { cells }] of rows.entries()) {
    let x = 0
    for (const { element, is_head } of cells) {
      while (grid[y]![x] !== undefined) x++
      const text = writer.lineOf(element, 'cell').replaceAll('|', '\\|')
      const width = spanOf(element, 'colspan', MAX_COLUMNS)
      const height = spanOf(element, 'rowspan', rows.length - y)
      const repeated = text.length <= MAX_REPEATED_LENGTH ? text : ''
      // The head of a group of columns is the head of each; a line across the table is written once.
      const is_group = is_head && width > 1 && cells.length > 1
      for (let down = 0; down < height; down++) {
        for (let right = 0; right < width && x + right < MAX_COLUMNS; right++) {
          if (down + right > 0 && left-- <= 0) break
          const says = right === 0 || is_group
          grid[y + down]![x + right] ??= down + right === 0 ? text : says ? repeated : ''
        }
      }
      // A row of more columns than a table may have keeps what it says in its last one.
      if (x >= MAX_COLUMNS) grid[y]![MAX_COLUMNS - 1] += ` / ${text}`
      else x += width
    }
  }
  return grid.map((row) => Array.from(row, (text) => text ?? ''))
}

function spanOf(cell: Element, name: 'rowspan' | 'colspan', most: number): number {
  const value = Number.parseInt(attribute(cell, name) ?? '1', 10)
  // No rows at all means: all that remain.
  if (value === 0 && name === 'rowspan') return most
  return Math.min(Math.max(Number.isNaN(value) ? 1 : value, 1), most)
}

/** The first row is the head: Markdown has no table without one. */
function markdownTable([head = [], ...rows]: string[][]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), head.length)
  const line = (row: readonly string[]) => {
    const cells = Array.from({ length: width }, (_, at) => row[at] ?? '')
    return `| ${cells.join(' | ')} |`
  }
  return [line(head), line(Array.from({ length: width }, () => '---')), ...rows.map(line)].join('\n')
}

/** Rows as blocks. A table that only arranges a page has no names for its columns. */
function rowBlocks(rows: readonly Row[], writer: BlockWriter): string[] {
  const [first, ...rest] = rows
  const has_head = first?.is_head === true && first.cells.length > 1 && rest.length > 0
  const names = has_head ? first.cells.map(({ element }) => writer.lineOf(element)) : []
  return (has_head ? rest : rows).flatMap(({ cells }) => {
    const blocks: string[] = []
    for (const [at, { element }] of cells.entries()) {
      const inside = writer.blocksOf(element)
      const name = names[at] ?? ''
      if (inside.length === 0) continue
      if (name === '') for (const block of inside) blocks.push(block)
      else if (inside.length === 1 && !inside[0]!.includes('\n')) blocks.push(`**${name}**: ${inside[0]}`)
      else for (const block of [`**${name}**`, ...inside]) blocks.push(block)
    }
    return blocks
  })
}
