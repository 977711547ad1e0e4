/** The body of POST /chat/completions, checked as OpenAI does. All throw ModelError. */
import { isObject } from '../is_object.ts'
import { invalid, ModelError } from './errors.ts'

export type ChatMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** Its text, of all parts. */
  text: string
  /** Pictures, recordings and documents. */
  files: number
  tool_calls: ToolCall[]
  tool_call_id: string | null
}

export type ToolCall = { id: string; name: string; arguments: string }

export type Tool = { name: string; description: string; parameters: Record<string, unknown> }

export type ChatRequest = {
  model: string
  messages: ChatMessage[]
  tools: Tool[]
  max_tokens: number
  stream: boolean
  include_usage: boolean
}

type Json = Record<string, unknown>

const FIELDS = [
  ...['model', 'messages', 'tools', 'tool_choice', 'parallel_tool_calls', 'stream', 'stream_options', 'max_tokens'],
  ...['max_completion_tokens', 'temperature', 'top_p', 'n', 'stop', 'presence_penalty', 'frequency_penalty', 'seed'],
  ...['response_format', 'user', 'logit_bias', 'logprobs', 'top_logprobs', 'reasoning_effort', 'verbosity', 'metadata'],
  ...['store', 'service_tier', 'safety_identifier', 'prompt_cache_key', 'modalities'],
]
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool']
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
/** Tokens of the context of every simulated model. */
const CONTEXT = 128_000
const MAX_OUTPUT = 16_384
const MAX_TOOLS = 128

export function readChatRequest(bytes: Buffer): ChatRequest {
  const body = parse(bytes)
  const strange = Object.keys(body).find((key) => !FIELDS.includes(key))
  if (strange !== undefined) throw new ModelError(400, `Unrecognized request argument supplied: ${strange}`)
  if (typeof body.model !== 'string' || body.model === '')
    throw new ModelError(400, 'you must provide a model parameter')
  if (body.n !== undefined && body.n !== 1) throw invalid('n', 'The simulated model gives one choice.')
  const stream = flag(body, 'stream')
  if (body.stream_options !== undefined && !stream)
    throw invalid('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  const tools = toolsIn(body)
  if (body.tool_choice !== undefined && tools.length === 0)
    throw invalid(
      'tool_choice',
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    )
  numberIn(body, 'temperature', 0, 2)
  numberIn(body, 'top_p', 0, 1)
  const messages = messagesIn(body)
  const request = {
    model: body.model,
    messages,
    tools,
    max_tokens: maxTokens(body),
    stream,
    include_usage: isObject(body.stream_options) && body.stream_options.include_usage === true,
  }
  const asked = promptTokens(request)
  if (asked > CONTEXT)
    throw invalid(
      'messages',
      `This model's maximum context length is ${CONTEXT} tokens. However, your messages resulted in ${asked} tokens. Please reduce the length of the messages.`,
      'context_length_exceeded',
    )
  return request
}

/** Four characters are a token; a file is 765. */
export function promptTokens({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): number {
  let characters = JSON.stringify(tools).length - 2
  let files = 0
  for (const message of messages) {
    characters += 16 + message.text.length
    for (const call of message.tool_calls) characters += call.name.length + call.arguments.length
    files += message.files
  }
  return Math.ceil(characters / 4) + 765 * files
}

function parse(bytes: Buffer): Json {
  let body: unknown
  try {
    body = JSON.parse(bytes.toString())
  } catch {
    body = undefined
  }
  if (isObject(body)) return body
  throw new ModelError(
    400,
    'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.',
  )
}

function maxTokens(body: Json): number {
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined)
    throw invalid('max_tokens', "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
  const key = body.max_tokens === undefined ? 'max_completion_tokens' : 'max_tokens'
  const value = body[key] ?? MAX_OUTPUT
  if (!Number.isInteger(value) || (value as number) < 1)
    throw invalid(
      key,
      `Invalid '${key}': integer below minimum value. Expected a value >= 1.`,
      'integer_below_min_value',
    )
  return value as number
}

function toolsIn({ tools }: Json): Tool[] {
  if (tools === undefined) return []
  if (!Array.isArray(tools) || tools.length === 0 || tools.length > MAX_TOOLS)
    throw invalid('tools', `Invalid 'tools': expected an array of 1 to ${MAX_TOOLS} tools.`)
  return tools.map((tool, at) => {
    const path = `tools[${at}].function`
    const own = isObject(tool) && tool.type === 'function' ? tool.function : undefined
    if (!isObject(own))
      throw invalid(`tools[${at}]`, `Invalid 'tools[${at}]': expected { "type": "function", "function": { … } }.`)
    const { name, description = '', parameters = { type: 'object', properties: {} } } = own
    if (typeof name !== 'string' || !NAME.test(name))
      throw invalid(
        `${path}.name`,
        `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'.`,
        'invalid_value',
      )
    if (typeof description !== 'string')
      throw invalid(`${path}.description`, `Invalid type for '${path}.description': expected a string.`)
    if (!isObject(parameters) || parameters.type !== 'object')
      throw invalid(
        `${path}.parameters`,
        `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`,
        'invalid_function_parameters',
      )
    return { name, description, parameters }
  })
}

function messagesIn({ messages }: Json): ChatMessage[] {
  if (!Array.isArray(messages))
    throw invalid('messages', "Missing required parameter: 'messages'.", 'missing_required_parameter')
  if (messages.length === 0)
    throw invalid(
      'messages',
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      'empty_array',
    )
  const read = messages.map(messageIn)
  checkToolMessages(read)
  return read
}

function messageIn(value: unknown, at: number): ChatMessage {
  const path = `messages[${at}]`
  if (!isObject(value)) throw invalid(path, `Invalid type for '${path}': expected an object.`)
  const { role, content } = value
  if (typeof role !== 'string' || !ROLES.includes(role))
    throw invalid(
      `${path}.role`,
      `Invalid value for '${path}.role'. Supported values are: ${ROLES.map((one) => `'${one}'`).join(', ')}.`,
      'invalid_value',
    )
  const tool_calls = role === 'assistant' ? callsIn(value.tool_calls, path) : []
  if (value.tool_calls !== undefined && role !== 'assistant')
    throw invalid(`${path}.tool_calls`, `'${path}.tool_calls' is only allowed in messages of the assistant.`)
  const may_lack = role === 'assistant' && tool_calls.length > 0
  if (!may_lack && (content === null || content === undefined))
    throw invalid(`${path}.content`, `Invalid value for 'content': expected a string, got null.`)
  const tool_call_id = value.tool_call_id
  if (role === 'tool' && (typeof tool_call_id !== 'string' || tool_call_id === ''))
    throw invalid(
      `${path}.tool_call_id`,
      `Missing required parameter: '${path}.tool_call_id'.`,
      'missing_required_parameter',
    )
  return {
    role: role === 'developer' ? 'system' : (role as ChatMessage['role']),
    ...contentIn(content ?? '', role, `${path}.content`),
    tool_calls,
    tool_call_id: role === 'tool' ? String(tool_call_id) : null,
  }
}

function contentIn(content: unknown, role: string, path: string): Pick<ChatMessage, 'text' | 'files'> {
  if (typeof content === 'string') return { text: content, files: 0 }
  if (!Array.isArray(content) || content.length === 0)
    throw invalid(path, `Invalid type for '${path}': expected one of a string or array of objects.`, 'invalid_type')
  const texts: string[] = []
  let files = 0
  content.forEach((part, at) => {
    if (isObject(part) && part.type === 'text' && typeof part.text === 'string') texts.push(part.text)
    else if (role === 'user' && isObject(part) && isFile(part)) files++
    else
      throw invalid(
        `${path}[${at}]`,
        `Invalid value for '${path}[${at}]': a part of this kind is not supported in messages of the ${role}.`,
      )
  })
  return { text: texts.join('\n'), files }
}

const DATA: Record<string, RegExp> = {
  image_url: /^(?:data:image\/[\w.+-]+;base64,[A-Za-z0-9+/]+=*|https?:\/\/[^\s]+)$/,
  file: /^data:application\/pdf;base64,[A-Za-z0-9+/]+=*$/,
  input_audio: /^[A-Za-z0-9+/]+=*$/,
}

function isFile(part: Json): boolean {
  const type = String(part.type)
  const form = Object.hasOwn(DATA, type) ? DATA[type] : undefined
  const own = part[type]
  if (!form || !isObject(own)) return false
  if (type === 'input_audio' && own.format !== 'wav' && own.format !== 'mp3') return false
  return form.test(String(own.url ?? own.file_data ?? own.data ?? ''))
}

function callsIn(calls: unknown, path: string): ToolCall[] {
  if (calls === undefined) return []
  if (!Array.isArray(calls) || calls.length === 0)
    throw invalid(
      `${path}.tool_calls`,
      `Invalid '${path}.tool_calls': empty array. Expected an array with minimum length 1.`,
      'empty_array',
    )
  return calls.map((call, at) => {
    const own = isObject(call) && call.type === 'function' && isObject(call.function) ? call.function : undefined
    const ok =
      own &&
      typeof call.id === 'string' &&
      typeof own.name === 'string' &&
      NAME.test(own.name) &&
      typeof own.arguments === 'string'
    if (!ok)
      throw invalid(
        `${path}.tool_calls[${at}]`,
        `Invalid value for '${path}.tool_calls[${at}]': expected id, type, and function with name and arguments.`,
      )
    return { id: call.id, name: own.name as string, arguments: own.arguments as string }
  })
}

/** Each call is answered by a message of its own before anything else is said, and nothing else is answered. */
function checkToolMessages(messages: ChatMessage[]): void {
  let open = new Set<string>()
  const close = () => {
    if (open.size > 0)
      throw invalid(
        'messages',
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      )
  }
  messages.forEach((message, at) => {
    if (message.role !== 'tool') {
      close()
      open = new Set(message.tool_calls.map(({ id }) => id))
    } else if (!open.delete(message.tool_call_id!))
      throw invalid(
        `messages[${at}].role`,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      )
  })
  close()
}

function flag(body: Json, key: string): boolean {
  const value = body[key] ?? false
  if (typeof value !== 'boolean') throw invalid(key, `Invalid type for '${key}': expected a boolean.`, 'invalid_type')
  return value
}

function numberIn(body: Json, key: string, least: number, most: number): void {
  const value = body[key]
  if (value !== undefined && value !== null && !(typeof value === 'number' && value >= least && value <= most))
    throw invalid(key, `Invalid '${key}': expected a number from ${least} to ${most}.`)
}
