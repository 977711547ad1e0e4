/** Liveness and readiness probes, for load balancers and operators. They never name a tenant. */
import * as v from 'valibot'
import type { Route } from './route/route.ts'

export type Readiness = () => Promise<{
  ok: boolean
  checks: Record<string, unknown>
  /** Sentences about problems that do not keep the node from its work. */
  warnings?: string[]
}>

const open = { method: 'GET', auth: 'none', pool: 'exempt', plain_http: true, status: 200 } as const

/** A probe has to answer within this time to be useful. */
const LATE_MS = 3000

/** Limits the wait for the database, the only part that may be slow. */
async function inTime(readiness: ReturnType<Readiness>): ReturnType<Readiness> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Awaited<ReturnType<Readiness>>>((resolve) => {
    const checks = { database: `no answer within ${LATE_MS} ms` }
    timer = setTimeout(() => resolve({ ok: false, checks }), LATE_MS)
  })
  return Promise.race([readiness, late]).finally(() => clearTimeout(timer))
}

export function operationsRoutes(readiness: Readiness): Route[] {
  return [
    {
      ...open,
      path: '/health',
      operation: 'get_health',
      summary: 'Whether the process lives',
      response: v.object({ status: v.literal('ok') }),
      read: () => ({ status: 'ok' }),
    },
    {
      ...open,
      path: '/ready',
      operation: 'get_readiness',
      summary: 'Whether the node can take requests; 503 while it cannot, with what is missing',
      async raw() {
        const { ok, checks, warnings = [] } = await inTime(readiness())
        const body = { status: ok ? 'ready' : 'not_ready', checks, ...(warnings.length > 0 && { warnings }) }
        return { status: ok ? 200 : 503, body: JSON.stringify(body) }
      },
    },
  ]
}
