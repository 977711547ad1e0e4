import { readRows, Template } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'
import { templateKey } from './template_named.ts'

type Keys = {
  /** Names of templates in webhooks. */
  names: Set<string>
  /** Channels whose templates are all wanted. */
  channel_ids: Set<string>
}

/** Rows of templates in webhooks or lists, by `templateKey`. */
export const templateRowReads: ReadKind<Keys, Map<string, Template>> = {
  keys: () => ({ names: new Set(), channel_ids: new Set() }),
  found: () => new Map(),
  async read(found, { names, channel_ids }, { database, state }) {
    const named = { channel_id: [...state.channels.keys()], name: [...names] }
    for (const row of await readRows(database, Template, named, { channel_id: [...channel_ids] })) {
      found.set(templateKey(row.channel_id, row), row)
    }
  },
}
