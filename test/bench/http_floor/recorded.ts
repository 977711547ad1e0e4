import { get } from 'node:http'

/** An answer from the wire, with its header names as sent and in their order. */
export type Recorded = { status: number; reason: string; headers: [string, string][]; body: string }

/** Asks once and keeps the answer, so that the bare route can return the same bytes. */
export function record(port: number, path: string, headers: Record<string, string>): Promise<Recorded> {
  return new Promise((resolve, reject) => {
    get({ port, path, headers, host: '127.0.0.1' }, (response) => {
      response.setEncoding('utf8')
      let body = ''
      response.on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => {
        const flat = response.rawHeaders
        const pairs = flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as [string, string]] : []))
        resolve({ status: response.statusCode ?? 0, reason: response.statusMessage ?? '', headers: pairs, body })
      })
    }).once('error', reject)
  })
}

/**
 * A made-up answer of the same shape and size, for runs without our node. A comparison with our node always replays our
 * node's answer.
 */
export const SPECIMEN: Recorded = {
  status: 200,
  reason: 'OK',
  headers: [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['X-Request-Id', 'req_66f2a1b07c3e4d5f6a7b8c9d'],
    ...['minute', 'hour', 'day'].flatMap((window): [string, string][] => [
      [`X-RateLimit-Limit-${window}`, '1000000000'],
      [`X-RateLimit-Remaining-${window}`, '999999999'],
      [`X-RateLimit-Reset-${window}`, '60'],
    ]),
  ],
  body: JSON.stringify({
    token: { id: '66f2a1b07c3e4d5f6a7b8c9d', name: 'Demo', prefix: 'svc_pk_abcde', expires_at: null },
    company: { id: '66f2a1b07c3e4d5f6a7b8c9e', name: 'Demo' },
    project: { id: '66f2a1b07c3e4d5f6a7b8c9f', name: 'Demo' },
    user: { id: '66f2a1b07c3e4d5f6a7b8ca0', full_name: 'Demo Agent', email: 'agent@example.com' },
    scopes: ['messages:write', 'messages:read', 'crm:tickets:write', 'crm:events:write', 'webhooks:write'],
  }),
}
