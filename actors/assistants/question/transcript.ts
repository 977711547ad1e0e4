/** The conversation as messages for a model, within a bound of tokens. */
import { isNotice, type Media, type SaidMessage } from '../../../storage/mod.ts'
import type { ModelDescription, ModelMessage } from '../../models/mod.ts'
import { estimateText } from '../../models/mod.ts'
import { type Described, type DescribedFile, describeMessage, type Templates } from './describe_message.ts'
import type { QuestionFile, UnreadableFile } from './question.ts'

/** Files of one question. */
const MAX_FILES = 6
/** Tokens of a message beside its text. */
const FRAME = 8

export type Transcript = {
  messages: ModelMessage[]
  files: QuestionFile[]
  unreadable: UnreadableFile[]
  left_out: number
}

export type TranscriptOptions = {
  said: readonly SaidMessage[]
  /** Earlier messages are not among `said`. */
  is_cut: boolean
  templates: Templates
  files_here: ReadonlyMap<string, Media>
  model: ModelDescription | undefined
  /** Tokens. */
  room: number
}

type Line = { role: 'user' | 'assistant'; text: string; at: Date; files: { file: DescribedFile; message_id: string }[] }

/** True for a message that is part of the conversation: one that reached the other side, and no notice. */
export function isSaid(message: SaidMessage): boolean {
  if (message.direction === 'outbound') return message.status !== 'failed'
  return !isNotice(message)
}

export function transcriptOf({ said, is_cut, templates, files_here, model, room }: TranscriptOptions): Transcript {
  const lines: Line[] = []
  let used = 0
  let left_out = 0
  for (const message of said.toReversed()) {
    const described = describeMessage(message, templates)
    const line = lineOf(message, described)
    const tokens = FRAME + estimateText(line.text) + 40 * line.files.length
    // The last message is always there: it is what the answer is about.
    if (left_out > 0 || (used + tokens > room && lines.length > 0)) left_out += 1
    else lines.push(line)
    used += tokens
  }
  return written(lines.reverse(), { files_here, model, is_cut, left_out })
}

/** Texts of agents and of apps are marked, so that the assistant does not take them for its own. */
function lineOf(
  { id, direction, assistant_id, broadcast_id, created_at }: SaidMessage,
  { text, files }: Described,
): Line {
  const attached = files.map((file) => ({ file, message_id: id }))
  if (direction === 'inbound') return { role: 'user', text: unmarked(text), at: created_at, files: attached }
  const mark = assistant_id === null ? (broadcast_id === null ? '[agent] ' : '[agent, sent to many] ') : ''
  const names = files.map(({ name, media_type }) => `[file sent: ${name ?? media_type ?? 'a file'}]`)
  return { role: 'assistant', text: [`${mark}${text}`, ...names].filter(Boolean).join('\n'), at: created_at, files: [] }
}

/** A person who writes our marks is no agent. */
function unmarked(text: string): string {
  return text.replace(/^([ \t]*)\[(agent|file|assistant|system)/gim, '$1($2')
}

function written(
  lines: readonly Line[],
  {
    files_here,
    model,
    is_cut,
    left_out,
  }: Pick<TranscriptOptions, 'files_here' | 'model' | 'is_cut'> & { left_out: number },
): Transcript {
  const files: QuestionFile[] = []
  const unreadable: UnreadableFile[] = []
  const messages: ModelMessage[] = []
  /** The newest files are read. */
  const chosen = new Set(
    lines
      .flatMap(({ files }) => files)
      .filter(({ file }) => readableAs(file, files_here, model) !== undefined)
      .slice(-MAX_FILES)
      .map(({ file }) => file),
  )
  if (left_out > 0 || is_cut) {
    messages.push({
      role: 'user',
      parts: [{ type: 'text', text: '[note: earlier messages of this conversation are left out]' }],
    })
  }
  /** Lists the file of `messages[at]`, and says in words whether it is attached. */
  const noteOf = (file: DescribedFile, message_id: string, at: number): string => {
    const { media_id, name } = file
    const here = media_id === null ? undefined : files_here.get(media_id)
    const media_type = here?.mime_type ?? file.media_type
    const kind = readableAs(file, files_here, model)
    const known = name ?? here?.filename ?? null
    const title = JSON.stringify(known ?? 'without a name')
    if (kind !== undefined && chosen.has(file)) {
      const bytes = here?.file_size ?? file.bytes
      files.push({ media_id: media_id!, message_id, at, kind, media_type: media_type!, name: known, bytes })
      return `[file ${title}, ${media_type}: attached]`
    }
    const reason = kind !== undefined ? 'too_many' : here ? 'not_read' : 'not_fetched'
    unreadable.push({ message_id, media_id, name, media_type, reason })
    return `[file ${title}, ${media_type ?? 'of an unknown type'}: ${UNREADABLE[reason]}]`
  }
  for (const line of lines) {
    const at = placeFor(messages, line.role)
    const notes = line.files.map(({ file, message_id }) => noteOf(file, message_id, at))
    append(messages, at, line.role, [...(line.text === '' ? [] : [line.text]), ...notes].join('\n'))
  }
  return { messages, files, unreadable, left_out }
}

const UNREADABLE = {
  not_read: 'you cannot read it',
  not_fetched: 'it is not here, so you cannot read it',
  too_many: 'one of many files, you cannot read it',
}

/** The index of the message that a line becomes a part of. */
function placeFor(messages: readonly ModelMessage[], role: Line['role']): number {
  return messages.at(-1)?.role === role ? messages.length - 1 : messages.length
}

function append(messages: ModelMessage[], at: number, role: Line['role'], text: string): void {
  const before = messages[at]
  if (before?.role === 'user') before.parts.push({ type: 'text', text })
  else if (before?.role === 'assistant') before.text += `\n\n${text}`
  else if (role === 'user') messages.push({ role, parts: [{ type: 'text', text }] })
  else messages.push({ role, text, tool_calls: [] })
}

/** The kind by which the model takes the file; undefined where it cannot. */
function readableAs(
  { media_id, media_type: told }: DescribedFile,
  files_here: ReadonlyMap<string, Media>,
  model: ModelDescription | undefined,
): QuestionFile['kind'] | undefined {
  const here = media_id === null ? undefined : files_here.get(media_id)
  if (!here || !model) return undefined
  const type = (here.mime_type ?? told ?? '').split(';')[0]!.trim().toLowerCase()
  if (IMAGES.has(type)) return model.reads.includes('image') ? 'image' : undefined
  if (type === 'application/pdf') return model.reads.includes('pdf') ? 'pdf' : undefined
  if (type.startsWith('audio/')) return model.transcribes || model.reads.includes('audio') ? 'audio' : undefined
  return undefined
}

const IMAGES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif'])
