import type { ModelEntry } from './entry.ts'
import type { ModelInput, ModelMessage, ModelPart, ModelQuestion, ModelRecording } from './model.ts'

const MIB = 1024 * 1024
/** Bytes of files from which a call is heavy: it takes several times their memory. */
export const HEAVY_BYTES = MIB
/** Bytes of all files of a question. */
const MAX_FILE_BYTES = 12 * MIB
/** Bytes of all texts of a question, its tools included. */
const MAX_TEXT_BYTES = 8 * MIB
/** Bytes of a recording: the limit of OpenAI. */
const MAX_RECORDING_BYTES = 25 * MIB
/** Formats that the protocol has a name for. */
const AUDIO = new Set(['audio/wav', 'audio/mpeg', 'audio/mp3'])

/** Bytes of an answer beside its tokens. */
const ANSWER_FRAME = 256 * 1024
/** Bytes of an answer for each token: escaped texts in a whole answer, an event for each token in a stream. */
const ANSWER_BYTES_OF_TOKEN = { whole: 128, stream: 1024 }
const MAX_ANSWER_BYTES = 32 * MIB
/** Characters of a text that has more tokens than were asked for, whatever its language. */
const CHARACTERS_OF_TOKEN = 32

type FilePart = Extract<ModelPart, { type: 'file' }>

export function bytesOfFiles({ messages }: ModelQuestion): number {
  return filesOf(messages).reduce((bytes, { data }) => bytes + data.length, 0)
}

function filesOf(messages: readonly ModelMessage[]): FilePart[] {
  return messages
    .flatMap((message) => (message.role === 'user' ? message.parts : []))
    .filter((part): part is FilePart => part.type === 'file')
}

/** All texts of a question. */
function textsOf({ messages, tools }: ModelQuestion): string[] {
  const of_tools = tools.flatMap(({ description, parameters }) => [description, JSON.stringify(parameters)])
  return [...messages.flatMap(textsOfMessage), ...of_tools]
}

function textsOfMessage(message: ModelMessage): string[] {
  switch (message.role) {
    case 'system':
      return [message.text]
    case 'user':
      return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    case 'assistant':
      return [message.text, ...message.tool_calls.map((call) => call.arguments)]
    case 'tool':
      return [message.result]
  }
}

/** The reason why this model cannot be asked this question, as a sentence. */
export function problemOfQuestion(question: ModelQuestion, { name, reads }: ModelEntry): string | undefined {
  const unread = filesOf(question.messages).find((file) => {
    const kind = kindOf(file)
    return !kind || !reads.includes(kind)
  })
  if (unread) return `The model ${name} does not read files of type ${unread.media_type}.`
  if (bytesOfFiles(question) > MAX_FILE_BYTES)
    return `The files of a question may have ${MAX_FILE_BYTES / MIB} MiB together.`
  const text_bytes = textsOf(question).reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)
  if (text_bytes > MAX_TEXT_BYTES) return `The texts of a question may have ${MAX_TEXT_BYTES / MIB} MiB together.`
  return undefined
}

export function problemOfRecording({ data, media_type }: ModelRecording): string | undefined {
  if (!/^(?:audio|video)\/[\w.+-]{1,100}$/.test(media_type))
    return 'The file is no recording: its type has to be audio or video.'
  if (data.length === 0) return 'The recording is empty.'
  if (data.length > MAX_RECORDING_BYTES) return `A recording may have ${MAX_RECORDING_BYTES / MIB} MiB.`
  return undefined
}

export function maxAnswerBytes(max_output_tokens: number, form: 'whole' | 'stream'): number {
  return Math.min(MAX_ANSWER_BYTES, ANSWER_FRAME + max_output_tokens * ANSWER_BYTES_OF_TOKEN[form])
}

/** Characters of the text and the arguments of an answer. */
export function maxAnswerLength(max_output_tokens: number): number {
  return 1024 + max_output_tokens * CHARACTERS_OF_TOKEN
}

function kindOf({ media_type }: FilePart): ModelInput | undefined {
  if (/^image\/[\w.+-]{1,100}$/.test(media_type)) return 'image'
  if (AUDIO.has(media_type)) return 'audio'
  return media_type === 'application/pdf' ? 'pdf' : undefined
}
