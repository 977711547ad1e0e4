/** A process with everything it has started, signalled together. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** Returns the process and all its descendants, parents first. */
function family(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(Number(name))
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const all = [pid]
  for (let at = 0; at < all.length; at++) all.push(...(children.get(all[at]!) ?? []))
  return all
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/**
 * Signals a server and its children (PostgreSQL's are sessions of their own, so a process group would miss them). The
 * parent is first, so that it starts no more children meanwhile.
 */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  for (const one of family(pid)) {
    try {
      process.kill(one, signal)
    } catch {
      // The process has ended by itself.
    }
  }
}
