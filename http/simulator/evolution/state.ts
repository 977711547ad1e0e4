import type { EvolutionInstance } from '../options.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import type { Gateway } from './gateway.ts'

/**
 * Opens or ends the connection of a phone, and reports it to its webhook. `reason` is Baileys' status, such as 401 for
 * unlinked.
 */
export function changeState(
  gateway: Gateway,
  instance: EvolutionInstance,
  state: 'open' | 'connecting' | 'close',
  reason = 200,
): Promise<WebhookOutcome> | undefined {
  instance.state = state
  const phone = state === 'open' ? { wuid: `${instance.number}@s.whatsapp.net`, profileName: 'Simulated Phone' } : {}
  return gateway.tell(instance, 'connection.update', {
    instance: instance.instance,
    ...phone,
    state,
    statusReason: reason,
  })
}
