import { connect, isIPv6, type Socket } from 'node:net'
import { ProxyFailed } from './failures.ts'

/** The operator's HTTP proxy. */
export type OutboundProxy = {
  host: string
  port: number
  /** `Proxy-Authorization`; undefined without a user name. */
  authorization: string | undefined
}

const HEAD_LIMIT = 16_384
/** Gateway errors are about the address; others are the proxy's own or ours (RFC 9110, 15.6). */
const UNREACHABLE = ['502', '503', '504']

/** Parses `http://[user:password@]host[:port]`. Throws on any other text. */
export function parseProxy(text: string): OutboundProxy {
  const { hostname, port, username, password } = new URL(text)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 80),
    authorization: username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  }
}

/**
 * Connects through the proxy to the first reachable address. The proxy gets addresses and never a name, so that it has
 * nothing to resolve. Rejects with `ProxyFailed` after `timeout_ms` at the latest.
 */
export async function openTunnel(
  proxy: OutboundProxy,
  addresses: readonly string[],
  port: number,
  timeout_ms: number,
): Promise<Socket> {
  const ends_at = performance.now() + timeout_ms
  for (const [index, address] of addresses.entries()) {
    const authority = `${isIPv6(address) ? `[${address}]` : address}:${port}`
    try {
      return await tunnelTo(proxy, authority, Math.max(1, ends_at - performance.now()))
    } catch (error) {
      const is_last = index === addresses.length - 1
      if (is_last || !(error instanceof ProxyFailed && error.is_unreachable)) throw error
    }
  }
  throw new ProxyFailed('There is no address to connect to.')
}

function tunnelTo(
  { host, port, authorization }: OutboundProxy,
  authority: string,
  timeout_ms: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    let head = Buffer.alloc(0)
    const finish = () => {
      clearTimeout(timer)
      socket.removeAllListeners()
    }
    const fail = (message: string, is_unreachable = false) => {
      finish()
      socket.on('error', () => {}).destroy()
      reject(new ProxyFailed(message, is_unreachable))
    }
    const timer = setTimeout(() => fail('The proxy did not answer in time.'), timeout_ms)
    socket.on('error', () => fail('The proxy could not be reached, or broke off.'))
    socket.on('end', () => fail('The proxy closed the connection.'))
    socket.on('connect', () => {
      const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
      if (authorization) lines.push(`Proxy-Authorization: ${authorization}`)
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
    socket.on('data', (chunk) => {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) {
        if (head.length > HEAD_LIMIT) fail('The proxy answered with headers without end.')
        return
      }
      const status = /^HTTP\/1\.[01] (\d{3})(?: |\r\n)/.exec(head.toString('latin1'))?.[1] ?? ''
      if (!status.startsWith('2')) return fail('The proxy refused the connection.', UNREACHABLE.includes(status))
      // Receivers do not send first: bytes behind the head would be taken for their answer.
      if (head.length > end + 4) return fail('The proxy said more than it was asked.')
      finish()
      socket.pause()
      resolve(socket)
    })
  })
}
