import type { DoctorContext } from './context.ts'

/** `text` is a sentence; a warning or failure says what to do. */
export type Finding = { name: string; status: 'ok' | 'warn' | 'fail'; text: string }

export type Check = (context: DoctorContext) => Finding[] | Promise<Finding[]>

/** Findings of one name. */
export function findings(name: string) {
  const make =
    (status: Finding['status']) =>
    (text: string): Finding => ({ name, status, text })
  return { ok: make('ok'), warn: make('warn'), fail: make('fail') }
}
