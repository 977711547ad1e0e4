import { toContactRecord } from '../../records/mod.ts'
import type { Audited } from '../turn/audit.ts'
import { contactNamed } from './reads.ts'

/** The audit entries of agents' changes. Those of tokens leave none: programs keep contacts at the pace of messages. */
export const auditedContact: Audited<{ type: string }> = {
  target: 'contact',
  record({ records, now }, id) {
    const contact = contactNamed(records, id)
    if (!contact) return undefined
    const { windows, ...record } = toContactRecord(contact, now)
    return record
  },
}
