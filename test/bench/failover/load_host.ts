/**
 * An open loop of requests that go on through a failover as careful clients would: three reads, then a send, over many
 * projects. A request without an answer, or with a 503, is repeated, a send under its idempotency key.
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
let running: ReturnType<typeof openLoop> | undefined
let serial = Date.now()

offer({
  start: (config: LoadConfig) => {
    tokens = config.tokens
  },
  begin({ ports, rate }: { ports: number[]; rate: number }) {
    running = openLoop(ports, rate)
  },
  longest: (ms: number) => running!.longest(ms),
  end: () => running!.stop(),
})

function openLoop(ports: number[], rate: number) {
  const pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections: 512, pipelining: 1 }))
  const begun: Request[] = []
  const requests: Promise<void>[] = []
  const start = Date.now()
  const timer = setInterval(() => {
    for (let due = start + (requests.length * 1000) / rate; due <= Date.now(); due += 1000 / rate) {
      const request: Request = { due_at: due, answered_at: 0, refused: 0, ok: false }
      requests.push(carry(request, pools, begun.push(request) - 1))
    }
  }, 2)
  return {
    /** Returns the longest wait of the requests due in the last `ms` milliseconds, answered or not. */
    longest(ms: number): number {
      const now = Date.now()
      const waits = begun
        .filter(({ due_at }) => due_at > now - ms)
        .map(({ due_at, answered_at }) => (answered_at || now) - due_at)
      return Math.max(0, ...waits)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(requests)
      await Promise.all(pools.map((pool) => pool.close()))
      return begun
    },
  }
}

async function carry(request: Request, pools: Pool[], n: number): Promise<void> {
  const token = tokens[n % tokens.length]!
  const read = (n + Math.floor(n / tokens.length)) % 4 !== 0
  const key = String(serial++)
  for (let attempt = n; Date.now() < request.due_at + PATIENCE_MS; attempt++) {
    const status = await send(pools[attempt % pools.length]!, token, read ? undefined : key).catch(() => 0)
    request.ok = status >= 200 && status < 300
    if (request.ok || (status !== 0 && status !== 503)) break
    request.refused++
    await pause(RETRY_MS)
  }
  request.answered_at = Date.now()
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
