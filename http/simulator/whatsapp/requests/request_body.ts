import * as uWS from 'uWebSockets.js'
import type { SimulatorRequest } from '../../answer.ts'
import type { Json } from './check.ts'
import { GraphError } from './errors.ts'

/** The JSON object of a request. Throws GraphError. */
export function parseJson(bytes: Buffer): Json {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {
    // Falls through to Graph's common error.
  }
  throw new GraphError(100, { message: '(#100) The request body is not a valid JSON object.' })
}

/** Management calls come as JSON, as a form or as multipart; each becomes one object of fields. */
export function formOrJson(request: SimulatorRequest): Json {
  const { content_type, body } = request
  if (content_type.startsWith('multipart/form-data'))
    return Object.fromEntries(
      (uWS.getParts(body, content_type) ?? []).map((part) => [part.name, Buffer.from(part.data).toString('utf8')]),
    )
  if (content_type.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')))
  return parseJson(body)
}
