import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { refuseDrift } from '../support/drift.ts'
import type { Owner } from '../support/mod.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field in the tests.
export type Json = any

export type Answer = { status: number; headers: Record<string, string>; body: Json; text: string }

export type Call = { json?: unknown; raw?: string | Buffer; headers?: Record<string, string>; token?: string }

export type Client = (method: string, url: string, call?: Call) => Promise<Answer>

/** Far longer than any answer takes: a busy machine must not look like silence. */
const PATIENCE_MS = 120_000

/** Makes calls over connections that are cut when the test ends. A call without an answer rejects. */
export function startClient(t: Owner): Client {
  const dispatcher = new Agent({
    pipelining: 1,
    connections: 64,
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  })
  t.teardown(() => dispatcher.destroy())
  return async (method, url, { json, raw, headers = {}, token } = {}) => {
    const all: Record<string, string> = { ...headers }
    if (token !== undefined) all.authorization = `Bearer ${token}`
    if (json !== undefined) all['content-type'] ??= 'application/json'
    const body = json === undefined ? raw : JSON.stringify(json)
    // A test that computed for long hears now of the connections that the server has ended meanwhile.
    await setImmediate()
    const ask = () => request(url, { method: method as 'GET', headers: all, body, dispatcher })
    const response = await ask().catch((error) => {
      if (!isCutWhileWriting(error, body)) throw error
      return ask()
    })
    const text = await response.body.text()
    const is_json = String(response.headers['content-type']).startsWith('application/json') && text !== ''
    const answer = {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      text,
      body: is_json ? JSON.parse(text) : undefined,
    }
    refuseDrift({ method, url, json, ...answer })
    return answer
  }
}

/** Bytes that a connection takes at once: a client has written them before the server can end the connection. */
const WRITTEN_AT_ONCE = 256 * 1024

/**
 * A server that refuses a large body ends the connection while the client writes. A client on a busy machine may see the
 * end before the answer. Nothing was written then, so it asks again.
 */
function isCutWhileWriting(error: { code?: string }, body: string | Buffer | undefined): boolean {
  return body !== undefined && body.length > WRITTEN_AT_ONCE && error.code === 'EPIPE'
}

/** Milliseconds until `eventually` looks for the second time, and the most between two looks. */
const SOON_MS = 10
const LATER_MS = 500
/** The factor by which each pause is longer than the one before. */
const GROWTH = 1.25

/**
 * Calls `look` again and again until it finds something. It looks less often the longer it waits, because the looks of
 * all tests that wait would take more of the machine than what they wait for.
 */
export async function eventually<Found>(
  what: string,
  look: () => Found | undefined | null | false | Promise<Found | undefined | null | false>,
  patience_ms = 120_000,
): Promise<Found> {
  let pause = SOON_MS
  for (const end = Date.now() + patience_ms; Date.now() < end; await sleep(pause)) {
    const found = await look()
    if (found) return found
    pause = Math.min(pause * GROWTH, LATER_MS)
  }
  throw new Error(`It never happened: ${what}`)
}

/** Repeats a request, as a careful client does, while the answer asks it to come again. */
export async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
    await sleep(100)
  }
}

export { sleep }
