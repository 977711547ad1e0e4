import { ControlRefusal } from '../answer.ts'
import { isObject } from '../is_object.ts'
import { statuses } from './errors.ts'
import { type Fault, faultNames, type Reply, reply } from './reply.ts'

export type Operation = 'chat' | 'transcription'

/** One prepared reply, for the next question that it matches. */
export type ScriptEntry = Reply & {
  id: string
  operation: Operation
  /** Part of the last message of the user, in any case; undefined for every question. */
  match?: string
  /** Questions that it still answers. */
  times: number
}

const FIELDS = [
  'match',
  'operation',
  'answer',
  'tool_calls',
  'fault',
  'retry_after',
  'delay_ms',
  'piece_ms',
  'usage',
  'times',
]
const MAX_ENTRIES = 1000
const MAX_TEXT = 1024 * 1024

/** The prepared replies, in their order. The first that matches is taken, before any magic words. */
export class Script {
  #entries: ScriptEntry[] = []
  #sequence = 0

  list(): ScriptEntry[] {
    return this.#entries
  }

  /** Appends the entries of a control request; all or none. Throws ControlRefusal. */
  add({ script, ...others }: Record<string, unknown>): ScriptEntry[] {
    const strange = Object.keys(others)[0]
    if (strange !== undefined)
      throw new ControlRefusal(`There is no field "${strange}"; the body is { "script": [ … ] }.`)
    if (!Array.isArray(script) || script.length === 0) throw new ControlRefusal('script must be a list of replies.')
    if (this.#entries.length + script.length > MAX_ENTRIES)
      throw new ControlRefusal(`The script has at most ${MAX_ENTRIES} replies; DELETE /_control/model empties it.`)
    const added = script.map((entry, at) => ({
      id: `scr_${this.#sequence + at + 1}`,
      ...readEntry(entry, `script[${at}]`),
    }))
    this.#sequence += added.length
    this.#entries.push(...added)
    return added
  }

  clear(): number {
    const removed = this.#entries.length
    this.#entries = []
    return removed
  }

  /** Takes the reply for this question; undefined when none is prepared. */
  take(operation: Operation, asked: string): Reply | undefined {
    const text = asked.toLowerCase()
    const entry = this.#entries.find(
      (one) => one.operation === operation && text.includes(one.match?.toLowerCase() ?? ''),
    )
    if (!entry) return undefined
    if (--entry.times <= 0) this.#entries = this.#entries.filter((one) => one !== entry)
    return entry
  }
}

function readEntry(value: unknown, path: string): Omit<ScriptEntry, 'id'> {
  if (!isObject(value)) throw new ControlRefusal(`${path} must be an object.`)
  const strange = Object.keys(value).find((key) => !FIELDS.includes(key))
  if (strange !== undefined)
    throw new ControlRefusal(`${path} has no field "${strange}"; it takes ${FIELDS.join(', ')}.`)
  const { match, operation = 'chat', answer, tool_calls, fault, usage } = value
  if (operation !== 'chat' && operation !== 'transcription')
    throw new ControlRefusal(`${path}.operation must be chat or transcription.`)
  if (match !== undefined && typeof match !== 'string') throw new ControlRefusal(`${path}.match must be a text.`)
  if (answer !== undefined && (typeof answer !== 'string' || answer.length > MAX_TEXT))
    throw new ControlRefusal(`${path}.answer must be a text of at most ${MAX_TEXT} characters.`)
  if (answer === undefined && tool_calls === undefined && fault === undefined)
    throw new ControlRefusal(`${path} needs an answer, tool_calls or a fault.`)
  return {
    operation,
    ...(match !== undefined && { match }),
    times: number(value, 'times', path) ?? 1,
    ...reply({
      text: answer ?? (tool_calls === undefined ? 'A simulated answer.' : null),
      tool_calls: callsIn(tool_calls, path),
      fault: faultIn(fault, number(value, 'retry_after', path), path),
      delay_ms: number(value, 'delay_ms', path) ?? 0,
      piece_ms: number(value, 'piece_ms', path) ?? 0,
    }),
    ...(usage !== undefined && { usage: usageIn(usage, path) }),
  }
}

function callsIn(calls: unknown, path: string): Reply['tool_calls'] {
  if (calls === undefined) return []
  if (!Array.isArray(calls)) throw new ControlRefusal(`${path}.tool_calls must be a list of { name, arguments }.`)
  return calls.map((call) => {
    if (!isObject(call) || typeof call.name !== 'string' || call.name === '')
      throw new ControlRefusal(`${path}.tool_calls must have a name each.`)
    const { name, arguments: own = {} } = call
    // A text is sent as it is, also when it is no JSON.
    return { name, arguments: typeof own === 'string' ? own : JSON.stringify(own) }
  })
}

function faultIn(fault: unknown, retry_after: number | undefined, path: string): Fault | null {
  if (fault === undefined || fault === null) return null
  if ((faultNames as readonly unknown[]).includes(fault)) return { kind: fault } as Fault
  if (statuses.includes(Number(fault)))
    return { kind: 'status', status: Number(fault), ...(retry_after !== undefined && { retry_after }) }
  throw new ControlRefusal(`${path}.fault must be one of ${[...statuses, ...faultNames].join(', ')}.`)
}

function usageIn(usage: unknown, path: string): NonNullable<Reply['usage']> | null {
  if (usage === null) return null
  const { prompt_tokens, completion_tokens } = isObject(usage) ? usage : {}
  if (!Number.isInteger(prompt_tokens) || !Number.isInteger(completion_tokens))
    throw new ControlRefusal(`${path}.usage must be { prompt_tokens, completion_tokens } or null.`)
  return { prompt_tokens: prompt_tokens as number, completion_tokens: completion_tokens as number }
}

function number(value: Record<string, unknown>, key: string, path: string): number | undefined {
  const own = value[key]
  if (own === undefined) return undefined
  if (typeof own !== 'number' || !(own >= 0) || own > 1e9)
    throw new ControlRefusal(`${path}.${key} must be a number, 0 or more.`)
  return own
}
