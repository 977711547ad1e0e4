/** Names of tools as models take them. Tools of agents may have any name. */
import { composed } from '../../../storage/mod.ts'

/** Begins the names of Parley's own tools. */
const RESERVED = 'parley_'
const MAX_LENGTH = 64

/** Names for these, in their order: letters, digits, `_` and `-`, each once, and none of Parley's. */
export function modelNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const plain = plainName(name)
    let free = plain
    for (let count = 2; taken.has(free.toLowerCase()); count++) {
      const ending = `_${count}`
      free = plain.slice(0, MAX_LENGTH - ending.length) + ending
    }
    taken.add(free.toLowerCase())
    return free
  })
}

function plainName(name: string): string {
  const plain = composed(name, 'NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
  const own = plain.toLowerCase().startsWith(RESERVED) ? `tool_${plain}` : plain
  return /[A-Za-z0-9]/.test(own) ? own.slice(0, MAX_LENGTH) : 'tool'
}
