/** A collector of traces that takes all and keeps nothing, in this process. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let url: Promise<string> | undefined

/** Resolves to the address for `PARLEY_TRACES_URL`. It ends with the process. */
export function collectorUrl(): Promise<string> {
  url ??= new Promise((resolve) => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end())
    })
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`))
    server.unref()
  })
  return url
}
