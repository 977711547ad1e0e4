/** Edits of a text in Markdown. No DOM. */

/** The text between two places is replaced, and then this is selected. */
export type Edit = { from: number; to: number; text: string; select: [number, number] }

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])( \[[ xX]\])? (.*)$/

/**
 * Puts marks around the selection, or takes them away where they are. Marks without an end go to the beginning of each
 * line.
 */
export function wrapped(text: string, start: number, end: number, before: string, after: string): Edit {
  if (after === '') return prefixed(text, start, end, before)
  const inside = text.slice(start, end)
  const is_marked = text.slice(start - before.length, start) === before && text.slice(end, end + after.length) === after
  if (is_marked) {
    const from = start - before.length
    return { from, to: end + after.length, text: inside, select: [from, from + inside.length] }
  }
  const select = [start + before.length, end + before.length] as [number, number]
  return { from: start, to: end, text: before + inside + after, select }
}

function prefixed(text: string, start: number, end: number, mark: string): Edit {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const next = text.indexOf('\n', end)
  const to = next < 0 ? text.length : next
  const lines = text.slice(from, to).split('\n')
  const is_marked = lines.every((line) => line.startsWith(mark))
  const changed = lines.map((line) => (is_marked ? line.slice(mark.length) : mark + line)).join('\n')
  return { from, to, text: changed, select: [from + changed.length, from + changed.length] }
}

/** The line after an item of a list is another item; after an empty item, the list ends. Undefined elsewhere. */
export function nextLine(text: string, at: number): Edit | undefined {
  const from = text.lastIndexOf('\n', at - 1) + 1
  const [, indent = '', mark = '', task, rest = ''] = ITEM.exec(text.slice(from, at)) ?? []
  if (mark === '') return undefined
  if (rest.trim() === '') return { from, to: at, text: '', select: [from, from] }
  const next = /^\d/.test(mark) ? `${Number.parseInt(mark, 10) + 1}${mark.at(-1)}` : mark
  const line = `\n${indent}${next}${task ? ' [ ]' : ''} `
  return { from: at, to: at, text: line, select: [at + line.length, at + line.length] }
}
