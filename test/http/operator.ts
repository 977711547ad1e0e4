import { setTimeout as sleep } from 'node:timers/promises'
import { localAssistants, OutboundGuard, Providers } from '../../actors/mod.ts'
import { adminRoutes } from '../../http/admin/mod.ts'
import { HttpServer } from '../../http/mod.ts'
import { type Runtime, silentLog } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { refuseDrift } from '../support/drift.ts'
import type { Owner } from '../support/mod.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every route
export type Answer = { status: number; body: any }
export type Asked = { address: string; message: Record<string, unknown> }
export type Operator = {
  base_url: string
  operator_key: string
  call(method: string, path: string, body?: unknown, key?: string): Promise<Answer>
  /** The messages that the actors got. */
  asked: Asked[]
  /** Forgets the messages so far. */
  forget(): void
}

const operator_key = 'the key of the operator in tests'

/** Starts a real server with the operator API alone, over a runtime that only records its messages. */
export async function startOperator(t: Owner, database: Database): Promise<Operator> {
  const asked: Asked[] = []
  const ask = async (address: string, message: Record<string, unknown>) => {
    // The delay is that of an actor. An answer that did not wait for the actor would show.
    await sleep(5)
    // The request of this call, which is another each time.
    const { cause: _, ...asked_message } = message
    asked.push({ address, message: asked_message })
  }
  const providers = new Providers({
    guard: new OutboundGuard(),
    open_file: () => Promise.reject(new Error('no file is sent here')),
    tell_visitor: () => {},
  })
  t.teardown(() => providers.close())
  const server = new HttpServer({
    runtime: { ask, tryAsk: () => undefined, isHere: () => true, bus: { publish() {} } } as unknown as Runtime,
    database,
    routes: adminRoutes({
      invitations: { base_url: '', is_mailed: false },
      default_limits: { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 },
      providers,
      assistants: { service: localAssistants, models: ['model'], services: {} as never },
    }),
    readiness: async () => ({ ok: true, checks: {} }),
    log: silentLog,
    config: { host: '127.0.0.1', port: 0, operator_key },
  })
  const port = await server.listen()
  t.teardown(() => server.close())
  const base_url = `http://127.0.0.1:${port}`
  return {
    base_url,
    operator_key,
    asked,
    forget: () => void asked.splice(0),
    async call(method, path, body, key = operator_key) {
      const headers: Record<string, string> = { authorization: `Bearer ${key}`, connection: 'close' }
      const text = method === 'GET' || body === undefined ? null : JSON.stringify(body)
      if (text !== null) headers['content-type'] = 'application/json'
      const response = await fetch(`${base_url}${path}`, {
        method,
        headers,
        body: text,
      })
      const answer = await response.text()
      const parsed = answer === '' ? undefined : JSON.parse(answer)
      const sent = { method, url: response.url, json: method === 'GET' ? undefined : body }
      refuseDrift({ ...sent, status: response.status, headers: Object.fromEntries(response.headers), body: parsed })
      return { status: response.status, body: parsed }
    },
  }
}
