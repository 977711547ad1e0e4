/** A small HTTP proxy on loopback that knows CONNECT and nothing else. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Owner } from './owner.ts'

export type TestProxy = {
  port: number
  /** The head of each request, as the client sent it. */
  heads: string[]
  /** The number of tunnels that were opened. */
  tunnels: number
}

type Behaviour = {
  /** Takes the place of CONNECT and acts on the socket. When the result is false, the proxy makes the connection. */
  instead?: (socket: Socket, authority: string) => boolean
  /** Returns the target of a tunnel when it differs from the requested address. */
  route?: (authority: string) => { host: string; port: number }
}

/** Starts a proxy that ends with the test. */
export async function testProxy(t: Owner, { instead, route }: Behaviour = {}): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  const heads: string[] = []
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    keep(client)
    let head = ''
    const listen = (chunk: Buffer) => {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      client.off('data', listen).pause()
      heads.push(head)
      const authority = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1]
      if (!authority) return client.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n')
      if (instead?.(client, authority)) return client.resume()
      const url = new URL(`http://${authority}`)
      const target = route?.(authority) ?? { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) }
      const upstream = connect(target)
      keep(upstream)
      upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
      upstream.on('connect', () => {
        proxy.tunnels += 1
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        client.pipe(upstream).pipe(client)
      })
    }
    client.on('data', listen)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: TestProxy = {
    port: (server.address() as AddressInfo).port,
    heads,
    tunnels: 0,
  }
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return proxy
}
