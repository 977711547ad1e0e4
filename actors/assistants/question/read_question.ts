import {
  type Database,
  findAssistant,
  newDate,
  readConversationFacts,
  readFilesHere,
  readOfferedTools,
  readToolFacts,
  type SaidMessage,
  together,
} from '../../../storage/mod.ts'
import type { ModelDescription, ModelMessage, ModelTool } from '../../models/mod.ts'
import { estimateText } from '../../models/mod.ts'
import { composingFor } from '../../providers/mod.ts'
import { linksIn } from '../answer/links.ts'
import { looksLikeBot } from '../automatic_mail.ts'
import { readInstructions } from '../instructions.ts'
import type { Languages } from '../language/languages.ts'
import { toolSetOf } from '../tools/tool_set.ts'
import { asTried, type Tried } from '../tried.ts'
import { readConversation, type Subject } from './conversation.ts'
import { describeMessage, type Templates, templateKey } from './describe_message.ts'
import type { Question } from './question.ts'
import { rulesOf } from './rules.ts'
import { isSaid, transcriptOf } from './transcript.ts'

/** The share of the tokens that the blocks may take. */
const BLOCKS_SHARE = 0.6
/** Messages of the person that tell the language together, where the last one is too short. */
const MANY = 5
const MAX_ANSWERS = 20

export type QuestionOptions = Subject & {
  project_id: string
  assistant_id: string
  /** Tokens for instructions, tools and conversation. */
  up_to_context: number
  /** Says what the assistant's model reads. */
  findModel(name: string): ModelDescription | undefined
  languages: Languages
  tried?: Tried | undefined
}

/**
 * Reads all that a model sees of a conversation. Segment and version are read before everything else, so what the model sees is
 * as they say or newer: an answer to something older than the version is never taken for one to it. Undefined when the
 * project has no such assistant, ticket or contact.
 */
export async function readQuestion(database: Database, options: QuestionOptions): Promise<Question | undefined> {
  const { project_id, assistant_id, tried } = options
  const at_once = together(database)
  const [conversation, row, held, own] = await Promise.all([
    readConversation(at_once, project_id, options),
    findAssistant(at_once, project_id, assistant_id),
    readOfferedTools(at_once, project_id, assistant_id),
    readInstructions(at_once, options, tried),
  ])
  if (!conversation || !row) return undefined
  const assistant = asTried(row, tried)
  const { company_id, person, segment, version, is_cut } = conversation
  const said = conversation.said.filter(isSaid)
  const last = said.findLast(({ direction }) => direction === 'inbound')
  const media_ids = said.flatMap((message) =>
    describeMessage(message, new Map()).files.flatMap(({ media_id }) => media_id ?? []),
  )
  const [tool_facts, facts, files_here] = await Promise.all([
    readToolFacts(at_once, { company_id, project_id, chat_user: person.contact.id }),
    readConversationFacts(at_once, project_id, templatesIn(said)),
    readFilesHere(at_once, project_id, media_ids),
  ])
  const { tools } = toolSetOf({ assistant, facts: tool_facts, held, person })
  const model = options.findModel(assistant.model)
  const channel = facts.channels.find(({ _id }) => _id === (last ?? said.at(-1))?.channel_id)
  const instructions = cutText(own.text, options.up_to_context * BLOCKS_SHARE)
  const rules = rulesOf({
    ...{
      assistant_name: assistant.name,
      project_name: facts.project_name,
      channel_type: channel?.channel_type ?? null,
    },
    ...{ person, office_hours: facts.office_hours, now: newDate(), tools },
  })
  const system: ModelMessage = { role: 'system', text: instructions === '' ? rules : `${instructions}\n\n${rules}` }
  const templates: Templates = new Map(facts.templates.map((one) => [templateKey(one), one.components]))
  const room = options.up_to_context - estimateText(system.text) - tokensOf(tools)
  const transcript = transcriptOf({ said, is_cut, templates, files_here, model, room })
  const answers = answersIn(said, templates)
  return {
    segment,
    version,
    assistant: {
      _id: assistant._id,
      name: assistant.name,
      model: assistant.model,
      is_active: assistant.is_active,
      settable_ticket_fields: assistant.settable_ticket_fields,
    },
    blocks: own.blocks,
    messages: [system, ...transcript.messages],
    tools,
    language: await languageOf(said, templates, options.languages),
    person,
    channel: channel
      ? { _id: channel._id, channel_type: channel.channel_type, text_limit: composingFor(channel).text_limit }
      : null,
    last_message: last ? { id: last.id, at: last.created_at, text: describeMessage(last, templates).text } : null,
    // Messages of a client have no times.
    is_machine:
      'ticket_id' in options &&
      looksLikeBot(
        said.map((message) => ({
          ...{ direction: message.direction, at: message.created_at },
          text: describeMessage(message, templates).text,
        })),
      ),
    // An answer of several messages is one answer.
    last_answer: conversation.last_answer ?? answers.at(-1) ?? null,
    links: [...new Set([instructions, ...answers].flatMap(linksIn))],
    files: transcript.files.map((file) => ({ ...file, at: file.at + 1 })),
    unreadable: transcript.unreadable,
    left_out: transcript.left_out,
  }
}

function templatesIn(said: readonly SaidMessage[]): { channel_id: string; name: string; language: string }[] {
  const sent = said.flatMap(({ type, channel_id, message: { name, language } }) =>
    type === 'template' && typeof name === 'string' && typeof language === 'string'
      ? [{ channel_id, name, language }]
      : [],
  )
  return [...new Map(sent.map((one) => [templateKey(one), one])).values()]
}

function answersIn(said: readonly SaidMessage[], templates: Templates): string[] {
  const answers = said.filter(({ direction, assistant_id }) => direction === 'outbound' && assistant_id !== null)
  return answers.slice(-MAX_ANSWERS).map((message) => describeMessage(message, templates).text)
}

async function languageOf(
  said: readonly SaidMessage[],
  templates: Templates,
  languages: Languages,
): Promise<string | null> {
  const texts = said
    .filter(
      ({ direction, type, message }) => direction === 'inbound' && (type === 'text' || message.caption !== undefined),
    )
    .slice(-MANY)
    .map((message) => describeMessage(message, templates).text)
  const last = texts.at(-1)
  if (last === undefined) return null
  const spoken = (await languages.tell(last)) ?? (texts.length > 1 ? await languages.tell(texts.join('\n')) : undefined)
  return spoken?.language ?? null
}

function tokensOf(tools: readonly ModelTool[]): number {
  return estimateText(JSON.stringify(tools))
}

/** Characters of a token at most, so that a text is measured a few times only. */
const MAX_CHARACTERS = 4

/** Instructions that do not fit end with a note. */
function cutText(text: string, tokens: number): string {
  let cut = text.slice(0, Math.ceil(tokens * MAX_CHARACTERS))
  while (estimateText(cut) > tokens) cut = cut.slice(0, Math.floor((cut.length * 3) / 4))
  return cut.length === text.length ? text : `${cut}\n\n[note: these instructions are longer than the model can read]`
}
