/**
 * Tokens of a question before it is asked. Each provider counts with tables of its own, of which one costs a node 60 MB
 * and half a second, so the estimate is made of bytes: three bytes of ASCII are a token, and so are two bytes of other
 * letters, and each digit. Texts of ten languages have fewer; long rows of emojis may have more.
 */
import type { ModelMessage, ModelPart, ModelQuestion } from './model.ts'

/** Tokens of a message or a tool beside its text. */
const FRAME = 8
/** The most that providers count for a picture in full detail, within a few. */
const IMAGE = 1_700
/** Bytes of a token in a recording of speech at 16 kbit/s and ten tokens a second. */
const AUDIO_BYTES = 200
/** Bytes of a token in a document, which may have as many letters as bytes. */
const DOCUMENT_BYTES = 3

/** Tokens that the question has at its provider, rather too many than too few. Linear in the bytes of its texts. */
export function estimateTokens({ messages, tools }: Pick<ModelQuestion, 'messages' | 'tools'>): number {
  let tokens = FRAME
  for (const message of messages) tokens += FRAME + ofMessage(message)
  for (const { name, description, parameters } of tools)
    tokens += FRAME + estimateText(name) + estimateText(description) + estimateText(JSON.stringify(parameters))
  return tokens
}

/** Tokens of a text. */
export function estimateText(text: string): number {
  let ascii = 0
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 128) ascii++
    if (code >= 48 && code <= 57) digits++
  }
  return Math.ceil((ascii + 2 * digits) / 3 + (Buffer.byteLength(text) - ascii) / 2)
}

function ofMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'system':
      return estimateText(message.text)
    case 'user':
      return message.parts.reduce((sum, part) => sum + ofPart(part), 0)
    case 'assistant':
      return message.tool_calls.reduce(
        (sum, call) => sum + FRAME + estimateText(call.name) + estimateText(call.arguments),
        estimateText(message.text),
      )
    case 'tool':
      return estimateText(message.result)
  }
}

function ofPart(part: ModelPart): number {
  if (part.type === 'text') return estimateText(part.text)
  if (part.media_type.startsWith('image/')) return IMAGE
  return Math.ceil(part.data.length / (part.media_type.startsWith('audio/') ? AUDIO_BYTES : DOCUMENT_BYTES))
}
