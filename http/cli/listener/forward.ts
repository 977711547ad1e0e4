import type { IncomingHttpHeaders } from 'node:http'

/** Milliseconds: just under the server's time limit for a receiver. */
const PATIENCE_MS = 14_000

/** Hop-by-hop headers. */
const LEFT_OUT = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'])

export type Forwarded = { status: number; body: Buffer; content_type: string | null; error: string | null }

/** Forwards a delivery byte for byte, so that its signatures stay valid. Answers 502 when the target is unreachable. */
export async function forward(url: string, headers: IncomingHttpHeaders, raw: Buffer): Promise<Forwarded> {
  const kept = Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name))
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(raw),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const body = Buffer.from(await response.arrayBuffer())
    return { status: response.status, body, content_type: response.headers.get('content-type'), error: null }
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } }
    return { status: 502, body: Buffer.alloc(0), content_type: null, error: cause?.code ?? message }
  }
}
