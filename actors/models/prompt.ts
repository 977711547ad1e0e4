import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import type { ModelMessage, ModelPart, ModelQuestion } from './model.ts'

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content']

/** A question in the terms of the library. */
export function callOptionsOf(
  question: ModelQuestion,
): Pick<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'maxOutputTokens'> {
  const { messages, tools, max_output_tokens } = question
  return {
    prompt: messages.map(messageOf),
    maxOutputTokens: max_output_tokens,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        description,
        inputSchema: parameters,
      })),
    }),
  }
}

function messageOf(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: message.parts.map(partOf) }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...message.tool_calls.map(({ id, name, arguments: text, signature }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: nameFor(name),
            // Providers refuse a question with calls whose arguments are no JSON; the library quotes such a text.
            input: text.trim() === '' ? '{}' : text,
            ...(signature !== undefined && { providerOptions: { google: { thoughtSignature: signature } } }),
          })),
        ],
      }
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.tool_call_id,
            toolName: nameFor(message.tool_name),
            output: { type: 'text', value: message.result },
          },
        ],
      }
  }
}

/** A model may call a tool by a name that providers refuse in the next question. */
function nameFor(called: string): string {
  return called.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown_tool'
}

function partOf(part: ModelPart): UserContent[number] {
  if (part.type === 'text') return part
  const { data, media_type } = part
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
  return { type: 'file', mediaType: media_type, data: { type: 'data', data: base64 } }
}
