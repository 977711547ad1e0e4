import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { NodeConnectionOptions } from '@nats-io/transport-node'

export type Greeting =
  | { problem: string }
  | {
      problem?: undefined
      version: string
      jetstream: boolean
      refusal: string | undefined
      /** Identity of the server. */
      id: string
      is_clustered: boolean
      /** Addresses of the cluster's servers, as far as the server tells them. */
      addresses: string[]
    }

const PATIENCE_MS = 3_000

/**
 * Reads the identity of a NATS server: it sends `INFO {…}` unasked, and answers a PING once it has accepted the
 * credentials. The client library would only report that it could not connect.
 */
export async function askBroker(url: URL, options: NodeConnectionOptions): Promise<Greeting> {
  let socket: Socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 4222) })
  try {
    const info = JSON.parse((await lineOf(socket)).replace(/^INFO /, ''))
    if (url.protocol === 'tls:' || info.tls_required) socket = connectTls({ socket, servername: url.hostname })
    const reply = lineOf(socket, /^(PONG|-ERR)/)
    socket.write(
      `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, ...credentials(options, info.nonce) })}\r\nPING\r\n`,
    )
    const answer = await reply
    const refusal = answer.startsWith('-ERR') ? answer.slice(5).replaceAll("'", '') : undefined
    return {
      version: String(info.version),
      jetstream: info.jetstream === true,
      refusal,
      id: String(info.server_id),
      is_clustered: info.cluster !== undefined,
      addresses: Array.isArray(info.connect_urls) ? info.connect_urls : [],
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { problem: `does not answer as NATS does (${code ?? message})` }
  } finally {
    socket.destroy()
  }
}

function credentials({ authenticator, user, pass, token }: NodeConnectionOptions, nonce?: string): object {
  if (typeof authenticator === 'function') return authenticator(nonce) ?? {}
  return token === undefined ? { user, pass } : { auth_token: token }
}

/** The first line that matches. */
function lineOf(socket: Socket, fits = /^INFO /): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk
      const lines = text.split('\r\n').slice(0, -1)
      const found = lines.find((line) => fits.test(line))
      if (!found) return
      socket.off('data', onData)
      socket.pause()
      resolve(found)
    }
    socket.setTimeout(PATIENCE_MS, () => reject(new Error('no answer in time')))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('it hung up')))
    socket.on('data', onData)
    socket.resume()
  })
}
