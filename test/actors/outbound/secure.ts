import { once } from 'node:events'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type ExchangeRequest, exchange, type GuardOptions, OutboundGuard } from '../../../actors/outbound/mod.ts'
import { issue } from '../../support/certificates.ts'
import type { Owner } from '../../support/mod.ts'

/** A certificate authority that no system trusts. */
export const authority = issue({ name: 'Authority of the tests', is_authority: true })

export type Secure = { port: number; connections: number; requests: string[] }

/** Starts an HTTPS server that answers `ok` until the test ends. `requests` holds the Host header of each request. */
export async function secure(t: Owner, options: ServerOptions, address = '127.0.0.1', port = 0): Promise<Secure> {
  const sockets = new Set<Socket>()
  const server = createServer(options, (request, response) => {
    counts.requests.push(request.headers.host ?? '')
    request.resume().on('end', () => response.end('ok'))
  })
  server.on('tlsClientError', () => {})
  server.on('connection', (socket: Socket) => {
    counts.connections += 1
    sockets.add(socket.on('close', () => sockets.delete(socket)))
  })
  server.listen(port, address)
  await once(server, 'listening')
  const counts: Secure = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    requests: [],
  }
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return counts
}

/** Makes calls with a guard that trusts the authority of the tests, over one pool. */
export function callerOf(t: Owner, options: GuardOptions) {
  const guard = new OutboundGuard({ certificates: [authority.cert], ...options })
  const dispatcher = guard.createDispatcher()
  t.teardown(() => dispatcher.destroy())
  return {
    guard,
    call: (url: string, rest: Partial<ExchangeRequest> = {}) =>
      exchange(dispatcher, {
        url,
        method: 'POST',
        headers: {},
        body: '{}',
        deadline_ms: 5_000,
        read_limit: 1_000,
        ...rest,
      }),
  }
}
