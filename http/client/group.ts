/** The parts that generated operations are made of. */
import type { Connection } from './connection.ts'

/** Operations on one kind of record. */
export class Group {
  protected readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }
}

/**
 * A parameter as a segment of a path.
 * @throws {TypeError} for a value that would make the path that of another operation
 */
export function segment(value: string, name: string): string {
  if (value === '' || value === '.' || value === '..' || typeof value !== 'string') {
    throw new TypeError(`${name} must be an id, not ${JSON.stringify(value)}`)
  }
  return encodeURIComponent(value)
}

/** The form of a body with a file. Texts stay as they are; other values become JSON. */
export function formOf(fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (value instanceof Blob) form.append(name, value)
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form
}
