import type { TurnStep } from '../../storage/mod.ts'
import type { ModelToolCall } from '../models/mod.ts'

/** Tool calls of a turn, and those among them that are alike. */
const MAX_STEPS = 8
const MAX_ALIKE = 3

export type MayCall = { may: true } | { may: false; code: 'too_many_steps' | 'too_many_alike'; message: string }

/**
 * Tells if another tool may be called in a turn. `steps`: those of the turn so far. Calls are alike when their arguments
 * have the same values, in whatever order and spelling.
 */
export function mayCall(steps: readonly Pick<TurnStep, 'kind' | 'name' | 'arguments'>[], call: ModelToolCall): MayCall {
  const calls = steps.filter(({ kind }) => kind === 'tool')
  if (calls.length >= MAX_STEPS) {
    const message = `No more tools can be called in this turn, of which there were ${MAX_STEPS}. Answer with what you know, or say that you could not find it.`
    return { may: false, code: 'too_many_steps', message }
  }
  const form = formOf(call.arguments)
  const alike = calls.filter(({ name, arguments: given = '' }) => name === call.name && formOf(given) === form)
  if (alike.length >= MAX_ALIKE) {
    const message = `This tool was called ${MAX_ALIKE} times with the same arguments. Its result will not change: use it, or do something else.`
    return { may: false, code: 'too_many_alike', message }
  }
  return { may: true }
}

function formOf(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text === '' ? '{}' : text)))
  } catch {
    return text
  }
}

const MAX_DEPTH = 24

function sorted(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1))
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return entries.map(([key, part]) => [key, sorted(part, depth + 1)])
}
