import type { ProviderTemplate } from '../../providers/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { endFetch, fetching, fetchTemplates, writtenAfter } from './fetch_templates.ts'
import { templateKey, templateName } from './template_named.ts'
import { templateRowReads } from './template_rows.ts'
import { addTemplate, dropTemplate, writeTemplate } from './write_templates.ts'

export type TemplatesListed = {
  channel_id: string
  templates: ProviderTemplate[]
  /** `templateName` of the whole list, which may come in parts. The last part has it, to find removed templates. */
  all: string[] | null
  /** True for a list that this actor fetched. Other lists come from an operator's check of the channel. */
  is_fetched?: boolean
  /** Unix milliseconds at which an operator's check asked for it; undefined from earlier releases. */
  since?: number
}

/** Applies the provider's list to the rows, and emits an event for each template that really changed. */
export const templatesListed: Receiver<TemplatesListed> = {
  reads(reads, { channel_id }) {
    reads.of(templateRowReads).channel_ids.add(channel_id)
  },
  receive(turn, { channel_id, templates, all, is_fetched, since }, { providers }) {
    const { state, records } = turn
    const { running, news } = fetching.of(state)
    const rows = records.of(templateRowReads)
    const run = is_fetched ? running.get(channel_id) : undefined
    const isWritten = writtenAfter(turn, channel_id, is_fetched ? run?.since : since)
    let again = run?.again === true
    if (is_fetched) endFetch(turn, channel_id, false)
    const channel = state.channels.get(channel_id)
    if (!channel) return
    for (const listed of templates) {
      const key = templateKey(channel_id, listed)
      if (isWritten(listed)) {
        again = true
        continue
      }
      const row = rows.get(key)
      if (row) writeTemplate(turn, row, listed)
      else addTemplate(turn, channel, listed, news.has(key))
      news.delete(key)
    }
    // The next list may have what was reported during the fetch of this one.
    if (is_fetched && !again) for (const key of news) if (key.startsWith(`${channel_id} `)) news.delete(key)
    if (all) {
      const names = new Set(all)
      for (const row of [...rows.values()]) {
        if (row.channel_id !== channel_id || names.has(templateName(row))) continue
        if (isWritten(row)) again = true
        else dropTemplate(turn, row)
      }
    }
    if (again) fetchTemplates(turn, channel, providers)
  },
}
