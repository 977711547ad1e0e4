import type { StatusBehaviour } from './faults.ts'
import type { StatusOptions } from './options.ts'

export type ReportedStatus = { status: 'sent' | 'delivered' | 'read' | 'failed'; code?: number }
type PlannedStatus = ReportedStatus & { delay_ms: number }

/** The callbacks of a message and their times, in milliseconds from the answer of the send. */
export function planStatuses(options: StatusOptions, behaviour: StatusBehaviour | undefined): PlannedStatus[] {
  if (!options.enabled || behaviour?.lose) return []
  const { sent_ms, delivered_ms, read_ms, read } = options
  let plan: PlannedStatus[] = [
    { status: 'sent', delay_ms: sent_ms },
    { status: 'delivered', delay_ms: delivered_ms },
  ]
  if (read) plan.push({ status: 'read', delay_ms: read_ms })
  if (!behaviour) return plan
  const { fail, skip, reorder, duplicate, late_ms } = behaviour
  if (fail) {
    const kept = fail.after === undefined ? 0 : fail.after === 'sent' ? 1 : 2
    const delay_ms = [sent_ms, delivered_ms, read_ms][kept] ?? read_ms
    plan = [...plan.slice(0, kept), { status: 'failed', delay_ms, code: fail.code }]
  }
  if (skip) plan = plan.filter(({ status }) => !skip.includes(status))
  if (reorder) {
    const delays = plan.map(({ delay_ms }) => delay_ms).reverse()
    plan = plan.map((planned, index) => ({ ...planned, delay_ms: delays[index] ?? 0 }))
  }
  if (late_ms) plan = plan.map((planned) => ({ ...planned, delay_ms: planned.delay_ms + late_ms }))
  const copies = duplicate === true ? 2 : Number(duplicate || 1)
  return copies > 1 ? plan.flatMap((planned) => new Array<PlannedStatus>(copies).fill(planned)) : plan
}
