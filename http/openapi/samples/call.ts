import type { DescribedOperation } from '../describe.ts'

/** The request of a sample. */
export type Call = {
  method: string
  url: string
  /** The environment variable with the token or the key. Undefined where none is needed. */
  secret: string | undefined
  headers: Record<string, string>
  /** A body that is sent as JSON. */
  json: unknown
  /** The fields of a form that has a `file`. */
  form: Record<string, string> | undefined
  /** Answered with a file, or with nothing, instead of JSON. */
  answer: 'json' | 'file' | 'nothing'
}

export const EXAMPLE_KEY = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

export function callOf(operation: DescribedOperation, base_url: string): Call {
  const { method, path, auth, takes_key, body, example, response, is_download } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(operation.parameters.find((one) => one.name === name)!.example),
  )
  const query = new URLSearchParams(example.query).toString()
  const is_form = body?.media_type === 'multipart/form-data'
  const json = body === undefined || is_form ? undefined : (example.body ?? {})
  return {
    method,
    url: `${base_url}${filled}${query && `?${query}`}`,
    secret: auth === 'none' ? undefined : auth === 'operator' ? 'PARLEY_OPERATOR_KEY' : 'PARLEY_TOKEN',
    headers: {
      ...(takes_key && { 'Idempotency-Key': EXAMPLE_KEY }),
      ...(operation.route.streams && { Accept: 'application/json, text/event-stream' }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
    },
    json,
    form: is_form ? ((example.body as Record<string, string> | undefined) ?? {}) : undefined,
    answer: is_download ? 'file' : response === undefined ? 'nothing' : 'json',
  }
}
