/** A load process that runs wrk, round by round; wrk's own CPU time counts as its child's. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { offer } from '../servers/remote.ts'
import { findTool } from '../servers/tools.ts'
import type { Load, Sample } from './loop.ts'

/** The request of wrk, which runs with one thread. */
export type WrkTarget = { url: string; headers: Record<string, string> }

let target: WrkTarget
let wrk: string

offer({
  start(given: WrkTarget) {
    target = given
    wrk = findTool('wrk', 'apt-get install wrk')
  },
  async run({ seconds, in_flight = 64 }: Load): Promise<Sample> {
    const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const whole = Math.max(1, Math.ceil(seconds))
    const args = ['-t1', `-c${in_flight}`, `-d${whole}s`, '--latency', ...headers, target.url]
    return parse((await promisify(execFile)(wrk, args)).stdout)
  },
})

function parse(text: string): Sample {
  const number = (pattern: RegExp) => Number(text.match(pattern)?.[1] ?? 0)
  const operations = number(/(\d+) requests in/)
  const socket_errors = text.match(/connect (\d+), read (\d+), write (\d+), timeout (\d+)/)?.slice(1) ?? []
  const errors = socket_errors.reduce((sum, count) => sum + Number(count), number(/Non-2xx or 3xx responses: (\d+)/))
  const rate = number(/Requests\/sec:\s+([\d.]+)/)
  return {
    operations: operations - errors,
    issued: operations,
    errors,
    seconds: rate > 0 ? operations / rate : 0,
    p50_ms: milliseconds(text.match(/50%\s+([\d.]+)(us|ms|s)/)),
    p99_ms: milliseconds(text.match(/99%\s+([\d.]+)(us|ms|s)/)),
  }
}

function milliseconds(match: RegExpMatchArray | null): number {
  const unit = { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? ''] ?? Number.NaN
  return Number(match?.[1]) * unit
}
