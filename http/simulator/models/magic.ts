/** Words in the last message of the user that decide what the simulated model does. docs/simulator.md lists them. */

import { isObject } from '../is_object.ts'
import type { ChatMessage, ChatRequest, Tool } from './chat_request.ts'
import { statuses } from './errors.ts'
import { type Fault, faultNames, type Reply, reply } from './reply.ts'
import { answerFrom, type Language, languageOf, phrases, proseOf } from './words.ts'

/** The word, its number, and the times after which it has no effect any more. */
const MODEL_WORD =
  /\bmodel +([a-z0-9]+(?:[ _](?:arguments|tool|language|long|usage))?)(?: +(\d{1,6}))?(?: +(once|twice))?/i
const CALL = /\bcall +([a-zA-Z0-9_-]{1,64})/
const HUMAN = /\b(?:hand ?-?over|human|real person|una persona|un humano|einen menschen|un humain|uma pessoa)\b/i
const SUMMARY = /summary|summari[sz]e/i
const SEARCH = /search|knowledge|lookup|look_up/i
const HANDOVER = /hand_?-?over|handoff|transfer|escalate|human/i

/** Seconds of `model slow` and of Retry-After without a number. */
const SLOW_S = 5
const RETRY_AFTER_S = 1

/** Questions whose `once` and `twice` are remembered. */
const MAX_COUNTED = 1000

/** The reply is decided by the question alone, but for `once` and `twice`: the same question has the same reply. */
export class MagicWords {
  readonly #counts = new Map<string, number>()

  replyTo(request: ChatRequest): Reply {
    const at = request.messages.findLastIndex(({ role }) => role === 'user')
    const asked = request.messages[at]?.text ?? ''
    const language = languageOf(asked)
    const word = MODEL_WORD.exec(asked)
    if (word) {
      const [, name = '', number, times] = word
      const known = name.toLowerCase().replace(' ', '_')
      const reply = specialReply(known, number === undefined ? undefined : Number(number), request, language, asked)
      if (reply && !this.#isOver(`${at} ${asked}`, times)) return reply
    }
    return usualReply(request, asked, request.messages.slice(at + 1), language)
  }

  #isOver(question: string, times: string | undefined): boolean {
    if (!times) return false
    const count = this.#counts.get(question) ?? 0
    if (this.#counts.size >= MAX_COUNTED) this.#counts.clear()
    this.#counts.set(question, count + 1)
    return count >= (times.toLowerCase() === 'once' ? 1 : 2)
  }
}

function usualReply(request: ChatRequest, asked: string, since: ChatMessage[], language: Language): Reply {
  const results = since.filter(({ role }) => role === 'tool')
  const call = CALL.exec(asked)
  if (call && results.length === 0)
    return reply({ tool_calls: [{ name: call[1]!, arguments: argumentsIn(asked.slice(call.index)) }] })
  const summary = request.tools.find(({ name }) => SUMMARY.test(name))
  if (summary && results.length === 0) return summarizing(summary, request.messages)
  if (HUMAN.test(asked) && results.length === 0) {
    const tool = request.tools.find(({ name }) => HANDOVER.test(name))
    return tool ? calling(tool, asked) : reply({ text: phrases[language].nobody })
  }
  if (results.length === 0 && asked.includes('?')) {
    const tool = request.tools.find(({ name }) => SEARCH.test(name))
    if (tool) return calling(tool, asked)
  }
  return reply({ text: plainAnswer(asked, request.messages, results, language) })
}

function specialReply(
  name: string,
  number: number | undefined,
  request: ChatRequest,
  language: Language,
  asked: string,
): Reply | undefined {
  const { messages, tools } = request
  const status = Number(name)
  if (statuses.includes(status)) {
    const retry_after = number ?? (status === 429 ? RETRY_AFTER_S : undefined)
    return reply({ fault: { kind: 'status', status, ...(retry_after !== undefined && { retry_after }) } })
  }
  if ((faultNames as readonly string[]).includes(name)) {
    return reply({ text: `${phrases[language].asked} ${quoted(asked)}`, fault: { kind: name } as Fault })
  }
  switch (name) {
    case 'slow':
      return reply({ text: `${phrases[language].asked} ${quoted(asked)}`, delay_ms: (number ?? SLOW_S) * 1000 })
    case 'long':
      return reply({ text: `${quoted(asked)} `.repeat(20_000).slice(0, 100_000) })
    case 'tools':
      return tools[0] ? calling(tools[0], asked) : undefined
    case 'bad_arguments':
      return tools[0] && reply({ tool_calls: [{ name: tools[0].name, arguments: '{"number": "A12' }] })
    case 'unknown_tool':
      return reply({ tool_calls: [{ name: 'no_such_tool', arguments: '{}' }] })
    case 'promise':
      return reply({ text: phrases[language].promise })
    case 'repeat':
      return reply({
        text:
          messages.findLast(({ role, text }) => role === 'assistant' && text !== '')?.text ?? phrases[language].nothing,
      })
    case 'link':
      return reply({ text: `${phrases[language].see} https://offers.example.net/win?id=4711` })
    case 'wrong_language':
      return reply({ text: phrases[language === 'de' ? 'es' : 'de'].thanks })
    case 'prompt':
      return reply({
        text: messages
          .filter(({ role }) => role === 'system')
          .map(({ text }) => text)
          .join('\n'),
      })
  }
  return undefined
}

function plainAnswer(asked: string, messages: ChatMessage[], results: ChatMessage[], language: Language): string {
  const known = results.length > 0 ? results : messages.filter(({ role }) => role === 'system')
  const found = answerFrom(known.map(({ text }) => proseOf(text)).join('\n'), asked)
  if (found) return found
  if (results.length > 0)
    return `${phrases[language].result} ${results.map(({ text }) => (proseOf(text) || text).slice(0, 500)).join('\n')}`
  const last = messages.findLast(({ role }) => role === 'user')
  if (last && last.files > 0 && asked.trim() === '') return phrases[language].file
  return `${phrases[language].asked} ${quoted(asked)}`
}

/** The text from the first brace to the last, so that the arguments need not be JSON. */
function argumentsIn(text: string): string {
  const [begin, end] = [text.indexOf('{'), text.lastIndexOf('}')]
  return begin >= 0 && end > begin ? text.slice(begin, end + 1) : '{}'
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `“${line.length > 200 ? `${line.slice(0, 200)}…` : line}”`
}

/** A call whose texts have the first lines of what the user said first and of what was answered last. */
function summarizing({ name, parameters }: Tool, messages: readonly ChatMessage[]): Reply {
  const first = messages.find(({ role }) => role === 'user')?.text ?? ''
  const last = messages.findLast(({ role }) => role === 'assistant')?.text ?? first
  const keys = Object.keys(isObject(parameters.properties) ? parameters.properties : {}).slice(0, 2)
  const values = keys.map((key, at) => [key, [first, last][at]!.split('\n')[0]!.slice(0, 200)])
  return reply({ tool_calls: [{ name, arguments: JSON.stringify(Object.fromEntries(values)) }] })
}

/** A call whose required arguments are filled by their types: texts have the question. */
function calling({ name, parameters }: Tool, asked: string): Reply {
  const properties = isObject(parameters.properties) ? parameters.properties : {}
  const required = Array.isArray(parameters.required)
    ? parameters.required.map(String)
    : Object.keys(properties).slice(0, 1)
  const values = required.map((key) => [key, valueFor(properties[key], asked)])
  return reply({ tool_calls: [{ name, arguments: JSON.stringify(Object.fromEntries(values)) }] })
}

function valueFor(schema: unknown, asked: string): unknown {
  if (!isObject(schema)) return asked.slice(0, 200)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? schema.minimum : 1
  if (type === 'boolean') return true
  if (type === 'array') return []
  if (type === 'object') return {}
  return asked.slice(0, typeof schema.maxLength === 'number' ? schema.maxLength : 200)
}
