/** The floor: a bare uWebSockets.js route that parses the body and writes it back as JSON, and keeps nothing. */
import * as uWS from 'uWebSockets.js'
import { offer } from '../servers/remote.ts'

let port: number

offer({
  async start() {
    const app = uWS.App().post('/v1/crm/events', (response) => {
      let open = true
      response.onAborted(() => {
        open = false
      })
      let body = ''
      response.onData((chunk, last) => {
        body += Buffer.from(chunk).toString('utf8')
        if (!last || !open) return
        const event = JSON.parse(body)
        response.cork(() => {
          response.writeStatus('201 Created').writeHeader('Content-Type', 'application/json; charset=utf-8')
          response.end(JSON.stringify({ event, duplicated: false }))
        })
      })
    })
    const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
    if (!socket) throw new Error('cannot listen on 127.0.0.1')
    port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket)
  },
  port: () => port,
})
