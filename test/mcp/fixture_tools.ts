/**
 * The tools, resources and prompts that the conformance suite expects of any server. They stand in for those of the
 * product, so that the suite examines the transport and the library as the product mounts them.
 */
import {
  acceptedContent,
  type CallToolResult,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  type McpServerFactory,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { confirmationState, confirmed } from '../../http/mcp/confirmation.ts'
import { invalidParams } from '../../http/mcp/protocol_error.ts'

/** A red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** No sound. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const KEYS = [Buffer.alloc(32, 'conformance')]

const anything = fromJsonSchema<Record<string, never>>({ type: 'object' })
const texts = (...names: string[]) =>
  fromJsonSchema<Record<string, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  })

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const embedded = (uri: string, text: string, mimeType = 'text/plain') => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text },
})

const ask = (message: string, field: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } as { type: 'boolean' } }, required: [field] },
  })
const sample = (text: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 })

const SUBJECT = { token_id: 'any', operation: 'any', text: '{}' }

/** State as the product signs it. */
const signed = () => confirmationState(KEYS, 'person', SUBJECT, Date.now())

/** @throws {ProtocolError} for a state that was altered */
function verify(state: string): void {
  if (confirmed(KEYS, 'person', SUBJECT, state, Date.now()) === undefined) throw invalidParams('Invalid requestState')
}

export const fixtureServer: McpServerFactory = () => {
  const server = new McpServer(
    { name: 'fixture', version: '1' },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} },
      requestState: { verify },
      cacheHints: {
        'tools/list': { ttlMs: 60_000, cacheScope: 'private' },
        'resources/read': { ttlMs: 60_000, cacheScope: 'private' },
      },
    },
  )
  addContents(server)
  addQuestions(server)
  addResources(server)
  addPrompts(server)
  return server
}

function addContents(server: McpServer): void {
  const answers: Record<string, CallToolResult> = {
    test_simple_text: said('This is a simple text response for testing.'),
    test_image_content: { content: [image] },
    test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
    test_embedded_resource: {
      content: [embedded('test://embedded-resource', 'This is an embedded resource content.')],
    },
    test_multiple_content_types: {
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
      ],
    },
  }
  for (const [name, answer] of Object.entries(answers)) {
    server.registerTool(name, { description: `Answers as ${name} does` }, () => answer)
  }
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool('test_tool_with_progress', { description: 'Reports', inputSchema: anything }, async (_, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken ?? 0
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100, message: `${progress} of 100` }
      await ctx.mcpReq.notify({ method: 'notifications/progress', params })
    }
    return said(String(progressToken))
  })
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs', inputSchema: anything }, async (_, ctx) => {
      for (const text of ['started', 'processing', 'completed']) await ctx.mcpReq.log('info', text)
      return said('Logged')
    })
  }
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Has a schema with definitions',
      inputSchema: fromJsonSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'address',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
        if: { properties: { name: { const: 'x' } }, required: ['name'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['address'] },
        else: { required: ['name'] },
        additionalProperties: false,
      }),
    },
    () => said('ok'),
  )
  server.registerTool(
    'test_headers',
    {
      description: 'Has an argument that is mirrored in a header',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, note: { type: 'string' } },
      } as object),
    },
    () => said('ok'),
  )
}

function addQuestions(server: McpServer): void {
  const tool = (name: string, answer: (ctx: ServerContext) => ReturnType<typeof inputRequired> | CallToolResult) =>
    server.registerTool(name, { description: `Asks back as ${name} does`, inputSchema: anything }, (_, ctx) =>
      answer(ctx),
    )
  const answered = (ctx: ServerContext, key: string) => inputResponse(ctx.mcpReq.inputResponses, key).kind !== 'missing'
  const elicits = (ctx: ServerContext) => {
    const name = acceptedContent<{ name?: string }>(ctx.mcpReq.inputResponses, 'user_name')?.name
    if (typeof name === 'string') return said(`Hello, ${name}!`)
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
  }
  tool('test_input_required_result_elicitation', elicits)
  tool('test_streaming_elicitation', elicits)
  tool('test_missing_capability', (ctx) => {
    if (answered(ctx, 'question')) return said('ok')
    return inputRequired({ inputRequests: { question: sample('Why?') } })
  })
  tool('test_input_required_result_sampling', (ctx) => {
    if (answered(ctx, 'capital_question')) return said('Thanks')
    return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } })
  })
  tool('test_input_required_result_list_roots', (ctx) => {
    if (answered(ctx, 'client_roots')) return said('Thanks')
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    tool(name, (ctx) => {
      const confirm = ask('Please confirm', 'ok', 'boolean')
      if (!answered(ctx, 'confirm')) return inputRequired({ inputRequests: { confirm }, requestState: signed() })
      return said('state-ok')
    })
  }
  tool('test_input_required_result_multiple_inputs', (ctx) => {
    const inputRequests = {
      user_name: ask('What is your name?', 'name'),
      greeting: sample('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    }
    if (Object.keys(inputRequests).every((key) => answered(ctx, key))) return said('Thanks')
    return inputRequired({ inputRequests, requestState: signed() })
  })
  tool('test_input_required_result_multi_round', (ctx) => {
    if (answered(ctx, 'step2')) return said('Thanks')
    if (answered(ctx, 'step1')) {
      const step2 = ask('Step 2: What is your favorite color?', 'color')
      return inputRequired({ inputRequests: { step2 }, requestState: signed() })
    }
    const step1 = ask('Step 1: What is your name?', 'name')
    return inputRequired({ inputRequests: { step1 }, requestState: signed() })
  })
  tool('test_input_required_result_capabilities', (ctx) => {
    const envelope = ctx.mcpReq.envelope as Record<string, Record<string, unknown>> | undefined
    const can = envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {}
    const inputRequests = {
      ...(can.elicitation !== undefined && { name: ask('What is your name?', 'name') }),
      ...(can.sampling !== undefined && { greeting: sample('Generate a greeting') }),
    }
    if (Object.keys(inputRequests).some((key) => answered(ctx, key))) return said('Thanks')
    return inputRequired({ inputRequests, requestState: signed() })
  })
}

function addResources(server: McpServer): void {
  const text = { mimeType: 'text/plain', description: 'A text' }
  server.registerResource('static-text', 'test://static-text', text, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }))
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }],
  }))
}

function addPrompts(server: McpServer): void {
  const user = (...contents: { type: 'text'; text: string }[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  })
  const text = (one: string) => ({ type: 'text' as const, text: one })
  server.registerPrompt('test_simple_prompt', { description: 'A text' }, () =>
    user(text('This is a simple prompt for testing.')),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A text with arguments', argsSchema: texts('arg1', 'arg2') },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: texts('resourceUri') },
    ({ resourceUri }) => ({
      messages: [
        { role: 'user', content: embedded(resourceUri!, 'Embedded resource content for testing.') },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'An image' }, () => ({
    messages: [
      { role: 'user', content: image },
      { role: 'user', content: text('Please analyze the image above.') },
    ],
  }))
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks back' }, (ctx) => {
    const answer = acceptedContent<{ context: string }>(ctx.mcpReq.inputResponses, 'user_context')
    if (answer !== undefined) return user(text(`With ${answer.context}`))
    return inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } })
  })
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }))
}
