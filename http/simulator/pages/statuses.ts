import type { Behaviour } from '../faults.ts'
import type { SimulatedAccount } from '../options.ts'
import type { World } from '../provider.ts'
import { planStatuses } from '../status_plan.ts'
import { type Event, eventOf, notify } from './callbacks.ts'

/** Sends deliveries (only on Messenger) and reads of a message when they are due. */
export function scheduleStatuses(
  world: World,
  account: SimulatedAccount,
  { id, recipient, accepted_at }: { id: string; recipient: string; accepted_at: number },
  behaviour: Behaviour | undefined,
): void {
  if (!account.webhook_url) return
  const { settings, schedule } = world
  const lead_ms = behaviour?.statuses?.early ? 0 : (behaviour?.latency_ms ?? settings.latency_ms)
  for (const { status, delay_ms } of planStatuses(settings.statuses, behaviour?.statuses)) {
    const fields = fieldsOf(account, status, id, accepted_at)
    if (!fields) continue
    schedule.after(lead_ms + delay_ms, () =>
      notify(world, account, eventOf(account, recipient, world.now(), fields), `${status} ${id}`),
    )
  }
}

function fieldsOf({ channel }: SimulatedAccount, status: string, mid: string, watermark: number): Event | undefined {
  if (channel === 'instagram') return status === 'read' ? { read: { mid } } : undefined
  if (status === 'delivered') return { delivery: { mids: [mid], watermark } }
  return status === 'read' ? { read: { watermark } } : undefined
}
