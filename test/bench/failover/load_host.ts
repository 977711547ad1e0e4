/**
 * An open loop of requests that go on through a failover as careful clients would: a read and a send in turn, over many
 * projects; what is answered 503 or not at all is asked again, a send under its idempotency key.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { offer } from '../servers/remote.ts'

/** `due_at` and `answered_at` are milliseconds since the epoch; `refused` counts answers other than 2xx. */
export type Request = { due_at: number; answered_at: number; refused: number; ok: boolean }
export type LoadConfig = { tokens: string[] }

const RETRY_MS = 50
const PATIENCE_MS = 30_000

let tokens: string[]
let running: { stop(): Promise<Request[]> } | undefined
let serial = Date.now()

offer({
  start: (config: LoadConfig) => {
    tokens = config.tokens
  },
  begin({ ports, rate }: { ports: number[]; rate: number }) {
    running = openLoop(ports, rate)
  },
  end: () => running!.stop(),
})

function openLoop(ports: number[], rate: number) {
  const pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections: 512, pipelining: 1 }))
  const requests: Promise<Request>[] = []
  const start = Date.now()
  const timer = setInterval(() => {
    for (let due = start + (requests.length * 1000) / rate; due <= Date.now(); due += 1000 / rate) {
      requests.push(request(pools, requests.length, due))
    }
  }, 2)
  return {
    async stop() {
      clearInterval(timer)
      const all = await Promise.all(requests)
      await Promise.all(pools.map((pool) => pool.close()))
      return all
    },
  }
}

async function request(pools: Pool[], n: number, due_at: number): Promise<Request> {
  const token = tokens[n % tokens.length]!
  const read = Math.floor(n / tokens.length) % 2 === 0
  const key = String(serial++)
  let refused = 0
  for (let attempt = n; Date.now() < due_at + PATIENCE_MS; attempt++) {
    const status = await send(pools[attempt % pools.length]!, token, read ? undefined : key).catch(() => 0)
    if (status >= 200 && status < 300) return { due_at, answered_at: Date.now(), refused, ok: true }
    if (status !== 0 && status !== 503) return { due_at, answered_at: Date.now(), refused, ok: false }
    refused++
    await pause(RETRY_MS)
  }
  return { due_at, answered_at: Date.now(), refused, ok: false }
}

async function send(pool: Pool, token: string, idempotency_key: string | undefined): Promise<number> {
  const authorization = `Bearer ${token}`
  const answer =
    idempotency_key === undefined
      ? await pool.request({ method: 'GET', path: '/v1/me', headers: { authorization } })
      : await pool.request({
          method: 'POST',
          path: '/v1/messages',
          headers: { authorization, 'content-type': 'application/json', 'idempotency-key': idempotency_key },
          body: JSON.stringify({
            channel: 'whatsapp',
            to: `+49170${idempotency_key.slice(-7)}`,
            message: { type: 'text', body: `Your order A-${idempotency_key} left our warehouse this morning.` },
          }),
        })
  await answer.body.dump()
  return answer.statusCode
}
