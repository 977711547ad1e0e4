/** The log of a node: each line names the node, and the project where an address tells it. */
import type { Log } from '../../../runtime/mod.ts'
import { FloodGuard } from './flood_guard.ts'

type Write = (fields: object, message: string) => void

/** Warnings and errors pass the guard against floods; what it leaves out is counted in `left_out`. */
export function nodeLog(log: Log, node: string): Log & { stop(): void } {
  const plain =
    (level: 'debug' | 'info' | 'warn' | 'error'): Write =>
    (fields, message) =>
      log[level]({ node, ...projectOf(fields), ...fields }, message)
  const guards = { warn: new FloodGuard(plain('warn')), error: new FloodGuard(plain('error')) }
  return {
    debug: plain('debug'),
    info: plain('info'),
    warn: (fields, message) => guards.warn.write(fields, message),
    error: (fields, message) => guards.error.write(fields, message),
    stop() {
      guards.warn.stop()
      guards.error.stop()
    },
  }
}

/** The actor of a project has the project's id in its address. */
function projectOf(fields: object): { project_id?: string } {
  if (!('address' in fields) || typeof fields.address !== 'string') return {}
  const project_id = /^project\/(.+)$/.exec(fields.address)?.[1]
  return project_id === undefined ? {} : { project_id }
}
