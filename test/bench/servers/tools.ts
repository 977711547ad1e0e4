import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Returns the path of a program that npm does not ship. Throws a sentence that says how to get it. */
export function findTool(name: string, remedy: string): string {
  const places = [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin']
  for (const place of places) {
    try {
      const path = join(place, name)
      accessSync(path, constants.X_OK)
      return path
    } catch {}
  }
  throw new Error(`${name} is missing; to get it: ${remedy}`)
}
