import { setTimeout as sleep } from 'node:timers/promises'

/** Begins one side of a race, after the head start of the other side. */
export type Start = <Answer>(act: () => Answer | Promise<Answer>) => Promise<Answer>

/** One round. Resolves to its outcomes. */
export type Race = (one: Start, other: Start, round: number) => Promise<string | string[]>

/** Milliseconds of the longest head start in the first sweep. Each further sweep doubles it, for a busier machine. */
const HEAD_START_MS = 72
const SWEEPS = 6

/**
 * Repeats a race until each of these outcomes was seen. In a sweep the head start moves from the one side to the other,
 * so it passes the moment at which both are even, wherever this is on the machine. There is at least one whole sweep.
 *
 * An outcome without a name here rejects, and so does one that never came.
 *
 * @returns how often each outcome was seen
 */
export async function everyOutcome(
  names: readonly string[],
  race: Race,
  { rounds = 12, head_start_ms = HEAD_START_MS } = {},
): Promise<Map<string, number>> {
  const seen = new Map(names.map((name) => [name, 0]))
  const missing = () => names.filter((name) => seen.get(name) === 0)
  for (let sweep = 0; sweep < SWEEPS && (sweep === 0 || missing().length > 0); sweep++) {
    for (let step = 0; step < rounds && (sweep === 0 || missing().length > 0); step++) {
      const shift_ms = 2 ** sweep * head_start_ms * ((2 * step) / (rounds - 1) - 1)
      for (const outcome of [await race(after(-shift_ms), after(shift_ms), sweep * rounds + step)].flat()) {
        if (!seen.has(outcome)) throw new Error(`An outcome that was not expected: ${outcome}`)
        seen.set(outcome, seen.get(outcome)! + 1)
      }
    }
  }
  if (missing().length > 0) throw new Error(`It never came out as: ${missing().join(', ')}`)
  return seen
}

function after(ms: number): Start {
  return async (act) => {
    if (ms > 0) await sleep(ms)
    return act()
  }
}
