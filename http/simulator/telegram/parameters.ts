import * as uWS from 'uWebSockets.js'
import type { SimulatorRequest } from '../answer.ts'
import { isObject } from '../is_object.ts'
import { badRequest } from './errors.ts'

export type Json = Record<string, unknown>
export type Upload = { filename: string; mime_type: string; bytes: Uint8Array }

/** The parameters of a call. `uploads` are the files of a multipart body, by the names of their parts. */
export type Parameters = { values: Json; uploads: Map<string, Upload> }

/** In a query, a form or a multipart body these are JSON as text. */
const NESTED = [
  'allowed_updates',
  'caption_entities',
  'entities',
  'link_preview_options',
  'media',
  'reaction',
  'reply_markup',
  'reply_parameters',
]

/** The Bot API takes parameters in the query, as JSON, as a form or as multipart. Throws BotApiError. */
export function parametersOf({ query, content_type, body }: SimulatorRequest): Parameters {
  const uploads = new Map<string, Upload>()
  const values: Json = Object.fromEntries(query)
  if (content_type.startsWith('application/json') && body.length > 0) {
    return { values: { ...values, ...parsed(body.toString('utf8'), isObject) }, uploads }
  }
  if (content_type.startsWith('multipart/form-data')) {
    for (const { name, filename, type = 'application/octet-stream', data } of uWS.getParts(body, content_type) ?? []) {
      if (filename === undefined) values[name] = Buffer.from(data).toString('utf8')
      else uploads.set(name, { filename, mime_type: type, bytes: new Uint8Array(data.slice(0)) })
    }
  } else Object.assign(values, Object.fromEntries(new URLSearchParams(body.toString('utf8'))))
  for (const key of NESTED) if (typeof values[key] === 'string') values[key] = parsed(values[key], isNested)
  return { values, uploads }
}

function parsed<T>(text: string, is: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(text)
    if (is(value)) return value
  } catch {
    // Falls through to the common error.
  }
  throw badRequest("can't parse JSON object")
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
