/**
 * Floods a node from a process of its own: each connection asks, waits for the answer, pauses and asks again, once at
 * least. At the end the process prints its results as JSON.
 */
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Owner } from '../support/mod.ts'
import { startChild } from './child.ts'

export type FloodOptions = { port: number; connections: number; pause_ms: number; for_ms: number; requests: string[] }

export type FloodResult = {
  /**
   * Answers by kind of request (its place in `requests`) and by status: their number, and the milliseconds they took.
   */
  seen: Record<string, Record<string, { count: number; p50: number; p99: number; max: number }>>
  /** The ids of acknowledged messages. */
  acknowledged: string[]
  /** Answers of 503 without Retry-After, unexpected statuses, and connections that broke. */
  surprises: string[]
}

/** Returns a request in the form it has on the wire. */
export function requestText(method: string, path: string, token: string, json?: unknown): string {
  const body = json === undefined ? '' : JSON.stringify(json)
  const head = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`]
  if (json !== undefined) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Resolves when the flood is over and its last requests are answered. */
export async function flood(t: Owner, options: FloodOptions): Promise<FloodResult> {
  const child = startChild(t, new URL('./flood.ts', import.meta.url), { FLOOD: JSON.stringify(options) })
  return JSON.parse(await child.line(/^\{/))
}

async function run({ port, connections, pause_ms, for_ms, requests }: FloodOptions): Promise<FloodResult> {
  const times = new Map<string, number[]>()
  const acknowledged: string[] = []
  const surprises: string[] = []
  const end = performance.now() + for_ms

  function note(kind: number, begun: number, answer: string): void {
    const status = answer.slice(9, 12)
    const key = `${kind} ${status}`
    const list = times.get(key) ?? []
    times.set(key, list)
    list.push(performance.now() - begun)
    if (status === '202') acknowledged.push(/"id":"(msg_\w+)"/.exec(answer)![1]!)
    else if (status === '503' && !/^retry-after: \d+\r$/im.test(answer)) surprises.push('503 without Retry-After')
    else if (status !== '200' && status !== '503') surprises.push(answer.slice(0, 200))
  }

  function client(n: number): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let kind = n % requests.length
      let begun = 0
      let asked = 0
      let got = ''
      const ask = () => {
        if (asked++ > 0 && performance.now() > end) return void socket.destroy()
        begun = performance.now()
        socket.write(requests[kind]!)
      }
      socket.on('connect', () => setTimeout(ask, Math.random() * pause_ms))
      socket.on('data', (chunk) => {
        got += chunk
        const head = got.indexOf('\r\n\r\n')
        const length = Number(/^content-length: (\d+)\r$/im.exec(got)?.[1] ?? 0)
        if (head < 0 || got.length < head + 4 + length) return
        note(kind, begun, got)
        got = ''
        begun = 0
        kind = (kind + 1) % requests.length
        setTimeout(ask, pause_ms * (0.5 + Math.random()))
      })
      socket.on('error', (error) => surprises.push(error.message))
      socket.on('close', () => {
        if (begun > 0) surprises.push('a connection ended before its answer')
        resolve()
      })
    })
  }

  await Promise.all(Array.from({ length: connections }, (_, n) => client(n)))
  const seen: FloodResult['seen'] = {}
  for (const [key, list] of times) {
    const [kind, status] = key.split(' ') as [string, string]
    const sorted = list.sort((a, b) => a - b)
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!)
    seen[kind] = { ...seen[kind], [status]: { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) } }
  }
  return { seen, acknowledged, surprises: surprises.slice(0, 20) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.env.FLOOD!)))}\n`)
}
