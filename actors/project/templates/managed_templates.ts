/** Effects of what clients do with templates at the provider. They concern all numbers of the account. */
import type { ProviderTemplate } from '../../providers/mod.ts'
import { toTemplateRecord } from '../../records/mod.ts'
import { isSameAccount } from '../channels/account.ts'
import type { Audited } from '../turn/audit.ts'
import type { Change } from '../turn/feature.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { noteWritten } from './fetch_templates.ts'
import { type TemplateNamed, templateKey } from './template_named.ts'
import { templateRowReads } from './template_rows.ts'
import { addTemplate, dropTemplate, writeTemplate } from './write_templates.ts'

/** The template as the provider now has it. */
type StoreTemplate = { type: 'store_template'; channel_id: string; template: ProviderTemplate }

type DropTemplate = { type: 'drop_template'; channel_id: string } & TemplateNamed

export type TemplateChange = StoreTemplate | DropTemplate

function audited<Part extends { type: string }>(keyOf: (part: Part) => string): Audited<Part> {
  return {
    target: 'template',
    id: keyOf,
    record(turn, key) {
      const row = turn.records.of(templateRowReads).get(key)
      return row && toTemplateRecord(row)
    },
  }
}

/** A template was submitted or edited. */
const storeTemplate: Change<StoreTemplate> = {
  audit: audited(({ channel_id, template }) => templateKey(channel_id, template)),
  reads(reads, { template }) {
    reads.of(templateRowReads).names.add(template.name)
  },
  apply(turn, { channel_id, template }) {
    const rows = turn.records.of(templateRowReads)
    for (const channel of channelsOf(turn, channel_id)) {
      const row = rows.get(templateKey(channel.id, template))
      noteWritten(turn, channel.id, template)
      if (row) writeTemplate(turn, row, template)
      else addTemplate(turn, channel, template, true)
    }
    const row = rows.get(templateKey(channel_id, template))
    return row && toTemplateRecord(row)
  },
}

/** A template was deleted at the provider. */
const removeTemplate: Change<DropTemplate> = {
  audit: audited(({ channel_id, ...template }) => templateKey(channel_id, template)),
  reads(reads, { name }) {
    reads.of(templateRowReads).names.add(name)
  },
  apply(turn, { channel_id, ...template }) {
    const rows = turn.records.of(templateRowReads)
    for (const channel of channelsOf(turn, channel_id)) {
      const row = rows.get(templateKey(channel.id, template))
      noteWritten(turn, channel.id, template)
      if (row) dropTemplate(turn, row)
    }
    return undefined
  },
}

/** The channels of the account that holds the channel's templates. */
function channelsOf({ state }: ProjectTurn, channel_id: string): ProjectChannel[] {
  const channel = state.channels.get(channel_id)
  if (!channel) return []
  return [...state.channels.values()].filter((one) => one.id === channel_id || isSameAccount(channel, one))
}

export const templateChanges = { store_template: storeTemplate, drop_template: removeTemplate }
