/** The processor time that a node spends on a body before it acts on the body. */

import { readBody } from '../../../http/server/input/request_body.ts'
import { type CompiledRoute, compileRoute } from '../../../http/server/route/compiled_route.ts'
import type { Route } from '../../../http/server/route/route.ts'

const HEADERS = { content_type: 'application/json', content_encoding: '' }
const METRICS = { route: () => ({}) } as never

export function planFor(route: Route): CompiledRoute {
  return compileRoute(route, route.method, METRICS)
}

/**
 * Returns the milliseconds of this thread for parsing, validation, the command and the text of the refusal. The least
 * of `runs`.
 */
export function costOf(compiled_route: CompiledRoute, bytes: Uint8Array, runs: number): number {
  return minTime(runs, () => refuse(compiled_route, bytes))
}

/**
 * Returns the milliseconds of this thread to parse one MiB of ordinary JSON. Tests compare the cost of a bomb with
 * this.
 */
export function usualCost(): number {
  const text = JSON.stringify(Array(30_000).fill({ type: 'text', body: 'Hello', to: '+5215512345678' }))
  return (minTime(5, () => JSON.parse(text)) * 1024 * 1024) / text.length
}

/** Returns the milliseconds of this thread for the work. The least of `runs`: other work often disturbs one of them. */
export function minTime(runs: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) least = Math.min(least, threadTime(work))
  return least
}

function refuse(compiled_route: CompiledRoute, bytes: Uint8Array): void {
  const read = readBody(compiled_route, bytes, HEADERS)
  if ('violations' in read) JSON.stringify(read.violations)
  if (!('value' in read)) return
  try {
    compiled_route.route.command?.({ params: {}, query: {}, body: read.value }, {} as never)
  } catch {
    // The route refused the body. The refusal counts as well.
  }
}

function threadTime(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
