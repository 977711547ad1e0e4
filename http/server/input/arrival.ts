import type * as uWS from 'uWebSockets.js'

/** The caller's own request: what the inner one has from it. */
export type Arrival = {
  /** The address of the connection, as uWebSockets.js gives it. */
  peer: ArrayBuffer
  /** Each header line, with its name in lower case. */
  lines: readonly (readonly [name: string, value: string])[]
}

/** Call before the handler of uWebSockets.js returns. */
export function arrivalOf(response: uWS.HttpResponse, request: uWS.HttpRequest): Arrival {
  const lines: [string, string][] = []
  request.forEach((name, value) => {
    lines.push([name, value])
  })
  return { peer: response.getRemoteAddressAsText(), lines }
}
