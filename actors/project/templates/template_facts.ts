/** Templates for sends: found by name, and kept in memory until the channel's templates are refreshed. */
import { type Database, Template } from '../../../storage/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { type TemplateNamed, templateIn, templateKey } from './template_named.ts'

export type TemplateFacts = Pick<Template, 'components' | 'status' | 'category' | 'quality' | 'next_category'>

/** Templates in memory, by `templateKey`. */
export const knownTemplates = new Memory<Map<string, TemplateFacts | null>>(() => new Map())

type Keys = {
  /** The turn drops the templates in memory, so that its messages read them again. */
  forgets: boolean
  /** Keyed by `templateKey`. */
  templates: Map<string, TemplateNamed & { channel_id: string }>
}

/** Templates by `templateKey`. */
export const templateFactReads: ReadKind<Keys, Map<string, TemplateFacts>> = {
  keys: () => ({ forgets: false, templates: new Map() }),
  found: () => new Map(),
  read(found, { templates }, { database }) {
    return templates.size === 0 ? undefined : readFacts(found, [...templates.values()], database)
  },
}

async function readFacts(
  found: Map<string, TemplateFacts>,
  templates: (TemplateNamed & { channel_id: string })[],
  database: Database,
): Promise<void> {
  const where = {
    channel_id: { $in: [...new Set(templates.map((one) => one.channel_id))] },
    name: { $in: [...new Set(templates.map((one) => one.name))] },
    language: { $in: [...new Set(templates.map((one) => one.language))] },
  }
  for (const row of await database.em().find(Template, where, { disableIdentityMap: true })) {
    found.set(templateKey(row.channel_id, row), row)
  }
}

/** Adds a template of one channel to the reads. */
export function wantTemplate(reads: Reads, channel_id: string, { name, language }: TemplateNamed): void {
  const key = templateKey(channel_id, { name, language })
  if (!reads.find(templateFactReads)?.forgets && knownTemplates.of(reads.state).has(key)) return
  reads.of(templateFactReads).templates.set(key, { channel_id, name, language })
}

/** Adds the template that a message names, on each channel that may send the message. */
export function wantTemplateIn(reads: Reads, channel_type: string, message: { type: string }): void {
  const template = templateIn(message)
  if (!template) return
  for (const channel of reads.state.channels.values()) {
    if (channel.channel_type === channel_type) wantTemplate(reads, channel.id, template)
  }
}

/** A template of a channel, as the turn has read or changed it. */
export function findTemplate(
  { state, records }: ProjectTurn,
  channel_id: string,
  template: TemplateNamed,
): TemplateFacts | undefined {
  const known = knownTemplates.of(state)
  const key = templateKey(channel_id, template)
  const found = known.get(key) ?? records.of(templateFactReads).get(key)
  if (found) known.set(key, found)
  return found
}
