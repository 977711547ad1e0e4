import { randomBytes } from 'node:crypto'
import { MagicRecipients } from '../magic.ts'
import type { EvolutionInstance } from '../options.ts'
import type { World } from '../provider.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import { Instances } from './instances.ts'
import { PHONE_MAGIC } from './magic.ts'

export type Json = Record<string, unknown>
export type ReceivedFile = { mimetype: string; filename: string; data: string }

/** Number of received files that are kept. */
const FILES_KEPT = 200

/** The state of the simulated gateway. */
export class Gateway {
  readonly world: World
  readonly instances = new Instances()
  readonly magic = new MagicRecipients(PHONE_MAGIC)
  /** Files of received messages, by the id of the message. */
  readonly #files = new Map<string, ReceivedFile>()

  constructor(world: World, instances: EvolutionInstance[]) {
    this.world = world
    for (const instance of instances) this.instances.put(instance)
  }

  keepFile(message_id: string, file: ReceivedFile): void {
    this.#files.set(message_id, file)
    if (this.#files.size > FILES_KEPT) this.#files.delete(this.#files.keys().next().value as string)
  }

  file(message_id: string): ReceivedFile | undefined {
    return this.#files.get(message_id)
  }

  /** Sends an event to the webhook of an instance. Undefined without a webhook; else the outcome of the first attempt. */
  tell(instance: EvolutionInstance, event: string, data: unknown): Promise<WebhookOutcome> | undefined {
    const { webhook_url: url, webhook_headers, number, api_key } = instance
    if (!url) return undefined
    const body = {
      event,
      instance: instance.instance,
      data,
      destination: url,
      date_time: new Date(this.world.now()).toISOString(),
      sender: `${number}@s.whatsapp.net`,
      server_url: 'http://localhost:8080',
      apikey: api_key,
    }
    return new Promise((resolve) =>
      this.world.webhooks.send(
        {
          url,
          current_url: () => instance.webhook_url ?? undefined,
          headers: { 'content-type': 'application/json', ...webhook_headers },
          body: JSON.stringify(body),
          events: [event],
        },
        resolve,
      ),
    )
  }
}

/** A key's id in the format of WhatsApp's phones. */
export function keyId(): string {
  return randomBytes(16).toString('hex').toUpperCase()
}
