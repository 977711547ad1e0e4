/** Remarks of `parley init` on standard error. */
import { paint, remark } from '../terminal.ts'

export function begin(text: string): void {
  remark(`\n${paint('bold', text, process.stderr)}`)
}

export function done(text: string): void {
  remark(`${paint('green', '✔', process.stderr)} ${text}`)
}

export function failed(text: string): void {
  remark(`${paint('red', '✘', process.stderr)} ${text}`)
}
