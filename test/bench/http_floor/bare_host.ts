/** The floor: a bare uWebSockets.js route that writes the recorded answer without reading the request. */
import * as uWS from 'uWebSockets.js'
import { offer } from '../servers/remote.ts'
import type { Recorded } from './recorded.ts'

let port: number

offer({
  async start({ recorded, path }: { recorded: Recorded; path: string }) {
    const status = `${recorded.status} ${recorded.reason}`
    // uWebSockets.js writes these headers itself.
    const own = ['content-length', 'uwebsockets', 'date', 'connection', 'keep-alive', 'transfer-encoding']
    const headers = recorded.headers.filter(([name]) => !own.includes(name.toLowerCase()))
    const app = uWS.App().get(path, (response) => {
      response.cork(() => {
        response.writeStatus(status)
        for (const [name, value] of headers) response.writeHeader(name, value)
        response.end(recorded.body)
      })
    })
    const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
    if (!socket) throw new Error('cannot listen on 127.0.0.1')
    port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket)
  },
  port: () => port,
})
