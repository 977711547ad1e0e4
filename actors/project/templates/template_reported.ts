import { isSameAccount } from '../channels/account.ts'
import type { InboundItem } from '../turn/feature.ts'
import { fetching, fetchTemplates, noteWritten } from './fetch_templates.ts'
import { templateKey } from './template_named.ts'
import { templateRowReads } from './template_rows.ts'
import { writeTemplate } from './write_templates.ts'

/** Statuses of webhooks that lists use as well. The others (`FLAGGED`, `REINSTATED`) only hint at a change. */
const STATUSES = new Set([
  'APPROVED',
  'REJECTED',
  'PENDING',
  'IN_APPEAL',
  'PAUSED',
  'DISABLED',
  'ARCHIVED',
  'LIMIT_EXCEEDED',
  'PENDING_DELETION',
  'DELETED',
])

/** From the provider's webhook: a template got another status, rating or category. Applies to all numbers of the account. */
export const templateReported: InboundItem<'template'> = {
  reads(reads, { item }) {
    reads.of(templateRowReads).names.add(item.name)
  },
  receive(turn, { channel, item }, { providers }) {
    for (const one of turn.state.channels.values()) {
      if (one.id !== channel.id && !isSameAccount(channel, one)) continue
      const key = templateKey(one.id, item)
      const row = turn.records.of(templateRowReads).get(key)
      const status = item.status !== null && STATUSES.has(item.status) ? { status: item.status } : {}
      if (row) {
        noteWritten(turn, one.id, item)
        writeTemplate(turn, row, { ...status, ...item.facts })
      }
      // The text may differ when a template is approved again after an edit.
      const is_told =
        row !== undefined && (item.status === null || ('status' in status && status.status !== 'APPROVED'))
      if (is_told) continue
      if (!row) fetching.of(turn.state).news.add(key)
      fetchTemplates(turn, one, providers)
    }
  },
}
