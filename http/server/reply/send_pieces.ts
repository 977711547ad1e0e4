import type * as uWS from 'uWebSockets.js'

/**
 * Writes an answer whose head is written already, piece by piece, as fast as the client reads. The source has to send
 * something every few seconds, or the connection is closed. Calls `done` once the last piece was handed over or the
 * source broke off.
 */
export function sendPieces(response: uWS.HttpResponse, source: ReadableStream<Uint8Array>, done: () => void) {
  const reader = source.getReader()
  let is_over = false
  let drained: PromiseWithResolvers<void> | undefined
  response.onWritable(() => {
    drained?.resolve()
    return true
  })
  const send = async () => {
    for (;;) {
      const { value } = await reader.read()
      if (is_over || value === undefined) return
      let is_taken = true
      // Starts the ten seconds anew after which uWebSockets.js closes the connection; a write alone does not.
      response.resume()
      response.cork(() => {
        is_taken = response.write(value)
      })
      if (is_taken) continue
      drained = Promise.withResolvers()
      await drained.promise
      if (is_over) return
    }
  }
  const end = () => {
    if (is_over) return
    is_over = true
    response.cork(() => response.end())
    done()
  }
  send().then(end, end)
  return {
    /** The client went away: the response must not be touched any more. */
    stop() {
      is_over = true
      drained?.resolve()
      reader.cancel().catch(() => {})
    },
  }
}
