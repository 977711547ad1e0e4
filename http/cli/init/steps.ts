/** Remarks of `parley init` on standard error, in lines that fit a terminal. */
import { paint, remark, wrap } from '../terminal/terminal.ts'

export function begin(text: string): void {
  remark(`\n${paint('bold', text, process.stderr)}`)
}

export function done(text: string): void {
  remark(`${paint('green', '✔', process.stderr)} ${fitting(text, 2).trimStart()}`)
}

export function failed(text: string): void {
  remark(`${paint('red', '✘', process.stderr)} ${fitting(text, 2).trimStart()}`)
}

export function note(text: string): void {
  remark(fitting(text, 0))
}

/** Advice beside a question. */
export function hint(text: string, colour: 'dim' | 'red' = 'dim'): void {
  remark(paint(colour, fitting(text, 2), process.stderr))
}

function fitting(text: string, indent: number): string {
  const { isTTY, columns } = process.stderr
  return wrap(text, isTTY ? columns || 80 : Number.POSITIVE_INFINITY, indent)
}
