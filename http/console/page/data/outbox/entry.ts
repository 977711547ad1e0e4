import type { Fault } from '../../records/fault.ts'
import type { AnyRecord } from '../../records/record.ts'

/**
 * An entry. `request` is the body of the request. `waiting` means that the server could not be reached; `accepted` lasts
 * until the record is there. `name` is that of the person, `draft` what the field had when the entry was sent.
 */
export type Pending = {
  client_id: string
  key: string
  order: number
  kind: 'message' | 'note'
  request: AnyRecord
  name?: string | undefined
  draft?: string | undefined
  at: string
  state: 'sending' | 'waiting' | 'accepted' | 'failed'
  fault: Fault | null
  id: string | undefined
}

export type KeptEntry = Pending & { project_id: string; ticket_id: string }
