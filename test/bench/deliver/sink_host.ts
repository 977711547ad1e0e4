/**
 * The receiver of all contestants: it answers 200 to every POST, counts them, and checks the signature of one in 64.
 * uWebSockets.js takes as little as possible of the two cores that the receiver shares with the contestants.
 */

import * as uWS from 'uWebSockets.js'
import { offer } from '../servers/remote.ts'
import { isSigned } from './is_signed.ts'
import { SECRET } from './shape.ts'

const CHECK_EVERY = 64

let port: number
let received = 0
let forged = 0

offer({
  async start() {
    const app = uWS.App().post('/*', (response, request) => {
      const signature = ++received % CHECK_EVERY === 0 ? request.getHeader('x-svc-signature') : undefined
      const chunks: Buffer[] = []
      response.onAborted(() => {})
      response.onData((chunk, is_last) => {
        if (signature !== undefined) chunks.push(Buffer.from(chunk.slice(0)))
        if (!is_last) return
        if (signature !== undefined && !isSigned(SECRET, signature, Buffer.concat(chunks))) forged++
        response.cork(() => response.end('ok'))
      })
    })
    const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
    if (!socket) throw new Error('cannot listen on 127.0.0.1')
    port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket)
  },
  port: () => port,
  /** Throws when a signature was wrong. */
  received() {
    if (forged > 0) throw new Error(`${forged} of the checked signatures were wrong`)
    return received
  },
})
