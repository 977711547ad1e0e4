import type * as uWS from 'uWebSockets.js'
import type { RawRequest } from './route.ts'

/** The whole request except its body, which comes later. */
export function rawRequestOf(request: uWS.HttpRequest, params: Record<string, string>): RawRequest {
  const headers: Record<string, string> = {}
  request.forEach((name, value) => {
    headers[name] = value
  })
  const method = request.getCaseSensitiveMethod()
  return { method, params, headers, query: request.getQuery() ?? '', body: new Uint8Array() }
}
