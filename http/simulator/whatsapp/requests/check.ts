import { GraphError } from './errors.ts'

/** A JSON object that was not checked yet. */
export type Json = Record<string, unknown>

/** Required parameter missing (131008), with its path. */
export function missing(path: string): GraphError {
  return new GraphError(131008, { details: `Parameter ${path} is required.` })
}

/** Parameter value not valid (131009), with the valid values. */
export function invalid(details: string): GraphError {
  return new GraphError(131009, { details })
}

/** The object at `key`. Graph also takes nested objects written as JSON text, which whatsapp-api-js uses for contacts. */
export function object(parent: Json, key: string, path: string): Json {
  const value = optionalObject(parent, key, path)
  if (!value) throw missing(path)
  return value
}

export function optionalObject(parent: Json, key: string, path: string): Json | undefined {
  const value = unwrap(parent[key])
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid(`${path} must be an object.`)
  return value as Json
}

/** The list at `key`, of `min` to `max` objects. */
export function list(parent: Json, key: string, path: string, min: number, max: number): Json[] {
  const value = unwrap(parent[key])
  if (value === undefined || value === null) {
    if (min === 0) return []
    throw missing(path)
  }
  if (!Array.isArray(value)) throw invalid(`${path} must be a list.`)
  if (value.length < min || value.length > max)
    throw invalid(`${path} has ${value.length} entries. Min entries: ${min}, Max entries: ${max}.`)
  for (const entry of value)
    if (typeof entry !== 'object' || entry === null) throw invalid(`${path} must be a list of objects.`)
  return value as Json[]
}

/** The text at `key`, of 1 to `max` characters. */
export function text(parent: Json, key: string, path: string, max: number): string {
  const value = optionalText(parent, key, path, max)
  if (value === undefined) throw missing(path)
  if (value.length === 0) throw invalid(`${path} length invalid. Min length: 1, Max length: ${max}.`)
  return value
}

export function optionalText(parent: Json, key: string, path: string, max: number): string | undefined {
  const value = parent[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(`${path} must be a string.`)
  if (value.length > max)
    throw new GraphError(100, {
      message: `(#100) Param ${path} must be at most ${max} characters long.`,
      details: `${path} length invalid. Max length: ${max}.`,
    })
  return value
}

export function oneOf(parent: Json, key: string, path: string, values: string[]): string {
  const value = parent[key]
  if (value === undefined || value === null) throw missing(path)
  if (!values.includes(value as string)) throw invalid(`${path} must be one of {${values.join(', ')}}.`)
  return value as string
}

export function number(parent: Json, key: string, path: string, min: number, max: number): number {
  const value = parent[key]
  if (value === undefined || value === null) throw missing(path)
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof parsed !== 'number' || !(parsed >= min && parsed <= max))
    throw invalid(`${path} must be a number from ${min} to ${max}.`)
  return parsed
}

export function optionalBoolean(parent: Json, key: string, path: string): void {
  const value = parent[key]
  if (value !== undefined && value !== null && typeof value !== 'boolean') throw invalid(`${path} must be a boolean.`)
}

export function webUrl(parent: Json, key: string, path: string): string {
  const value = text(parent, key, path, 2000)
  if (!/^https?:\/\/[^\s/]+/i.test(value)) throw invalid(`${path} must be an http or https URL.`)
  return value
}

function unwrap(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
