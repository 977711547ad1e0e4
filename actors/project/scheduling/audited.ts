import type { Audited } from '../turn/audit.ts'
import { appointmentReads } from './reads.ts'

/** The audit entries of operators' changes, and of clients' confirmations. */
export const auditedAppointment: Audited<{ type: string }> = {
  target: 'appointment',
  record: (turn, id) => turn.records.of(appointmentReads).by_id.get(id),
}
