import { readRows, Template } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'
import { templateKey } from './template_named.ts'

type Wanted = {
  /** Names of templates that webhooks speak of. */
  names: Set<string>
  /** Channels of which all templates are wanted. */
  channel_ids: Set<string>
}

/** Rows of templates by `templateKey`: those that a webhook or a list speaks of. */
export const templateRowReads: ReadKind<Wanted, Map<string, Template>> = {
  wanted: () => ({ names: new Set(), channel_ids: new Set() }),
  found: () => new Map(),
  async read(found, { names, channel_ids }, { database, state }) {
    const named = { channel_id: [...state.channels.keys()], name: [...names] }
    for (const row of await readRows(database, Template, named, { channel_id: [...channel_ids] })) {
      found.set(templateKey(row.channel_id, row), row)
    }
  },
}
