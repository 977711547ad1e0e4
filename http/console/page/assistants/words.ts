/** Assistants in words. No DOM. */

import { nameOfChannel } from '../crm/channels.ts'
import type { Answers, AssistantDeployment, AssistantFigures, Block } from '../records/assistant.ts'
import type { Definitions } from '../records/definitions.ts'
import { costText } from '../ui/format/figures.ts'

/** The heading of a block in the prompt, by its type. */
export const BLOCK_TYPES: Record<Block['type'], string> = {
  personification: 'Personality',
  objective: 'Objective',
  response_format: 'Response format',
  steps: 'Steps',
  cases_possible: 'Possible cases',
  do_not: 'What not to do',
  response_policy: 'Response policy',
  product_info: 'Products',
  store_info: 'Store',
  reservation_info: 'Reservations',
  tables_info: 'Tables',
  tags: 'Tags',
}

/** Such as `Steps: Order status`. */
export function blockName({ type, name, family }: Pick<Block, 'type' | 'name' | 'family'>) {
  return family === 'identity' || name === BLOCK_TYPES[type] ? BLOCK_TYPES[type] : `${BLOCK_TYPES[type]}: ${name}`
}

/** The types that agents create. */
export const NEW_BLOCK_TYPES = ['steps', 'cases_possible', 'objective', 'response_format'] as const

/** Types of which an assistant has one block at most. */
export const SINGLE_TYPES: Block['type'][] = ['personification', 'objective', 'response_format']

export const NEEDS_PERMISSION = 'This needs the permission console.manage_assistants. An operator can give it to you.'

export const ANSWERS_WORDS: Record<Answers, string> = {
  always: 'Always',
  outside_hours: 'Outside the office hours',
  unanswered: 'When nobody has answered for a while',
}

/** The costs of the day: `USD 0.25`. */
export function costsText({ costs }: Pick<AssistantFigures, 'costs'>) {
  return costs.map(costText).join(' · ')
}

type Named = { name: (id: string) => string }

/** A deployment as a sentence. */
export function deploymentText(
  { channel_ids, answers, after_minutes, tag_ids, is_active }: AssistantDeployment,
  { channels, tags }: { channels: Named; tags: Named },
) {
  const where = channel_ids.length === 0 ? 'On every channel' : `On ${listText(channel_ids.map(channels.name), 'and')}`
  const with_tags = tag_ids.length === 0 ? '' : `, for tickets with the tag ${listText(tag_ids.map(tags.name), 'or')}`
  const text = `${where}${with_tags}, ${whenText(answers, after_minutes)}.`
  return is_active ? text : `Switched off: ${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

function whenText(answers: Answers, after_minutes: number | null) {
  if (answers === 'always') return 'always, unless a person has the ticket'
  if (answers === 'outside_hours') return 'while the office hours are over'
  const minutes = after_minutes ?? 0
  return `when nobody has answered for ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`
}

/** The places of an assistant in a few words, for a list. */
export function placesText(deployments: AssistantDeployment[], channels: Named) {
  const active = deployments.filter(({ is_active }) => is_active)
  if (active.length === 0) return deployments.length === 0 ? 'Nowhere yet' : 'Nowhere at the moment'
  if (active.some(({ channel_ids }) => channel_ids.length === 0)) return 'Every channel'
  const ids = [...new Set(active.flatMap(({ channel_ids }) => channel_ids))]
  const names = ids.slice(0, 2).map(channels.name)
  return ids.length > 2 ? `${names.join(', ')} and ${ids.length - 2} more` : names.join(', ')
}

/** Names of the channels and tags of a project; an id that is gone has words instead. */
export function namesOf(definitions: Definitions | undefined) {
  const named = (list: { _id: string; name: string }[] | undefined, gone: string): Named => {
    const names = new Map(list?.map(({ _id, name }) => [_id, name]))
    return { name: (id) => names.get(id) ?? (list ? gone : '…') }
  }
  return {
    channels: named(definitions?.channels, 'a channel that is gone'),
    tags: named(definitions?.tags, 'a tag that is gone'),
  }
}

/** `WhatsApp · Front desk`. */
export function channelText({ name, channel_type }: { name: string; channel_type: string }) {
  return `${nameOfChannel(channel_type)} · ${name}`
}

function listText(names: string[], word: 'and' | 'or') {
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`
}

/** The reasons of a refusal by the field that they are about. */
export function fieldFaults(fault: unknown): Record<string, string> {
  const details = (fault as { details?: { violations?: { path: string; message: string }[] } } | null)?.details
  const found: Record<string, string> = {}
  for (const { path, message } of details?.violations ?? []) {
    const [field = ''] = path.split(/[.[\]]/).filter(Boolean)
    found[field] ??= `It ${message}.`
  }
  return found
}
