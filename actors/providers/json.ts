export type Json = Record<string, unknown>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list; empty when it is not a list. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

/**
 * The JSON of a webhook call; undefined when it is invalid. NUL and halves of surrogate pairs become U+FFFD: PostgreSQL
 * can store neither, and one such message would block all others.
 */
export function parseCall(raw: string): unknown {
  try {
    if (!/\\u(?:0000|d[89a-f])/i.test(raw)) return JSON.parse(raw)
    return JSON.parse(raw, (_, value) => (typeof value === 'string' ? storable(value) : withStorableKeys(value)))
  } catch {
    return undefined
  }
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

function withStorableKeys(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [storable(key), each]))
}

/** The JSON of a provider's answer. Undefined when it is not JSON, or is incomplete. */
export function parseAnswer({ is_complete, body }: { is_complete: boolean; body: Buffer }): unknown {
  return is_complete ? parseCall(body.toString()) : undefined
}
