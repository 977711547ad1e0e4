import { CustomerWindows } from '../customer_windows.ts'
import { MagicRecipients } from '../magic.ts'
import type { WhatsAppNumber } from '../options.ts'
import type { World } from '../provider.ts'
import { Callbacks } from './callbacks.ts'
import { Flows } from './flows/flows.ts'
import { MAGIC_RECIPIENTS } from './magic.ts'
import { DownloadLinks, MediaStore } from './media.ts'
import { Numbers } from './numbers.ts'
import { People } from './people.ts'
import { Templates } from './templates/templates.ts'
import { Uploads } from './templates/uploads.ts'
import { RateLimits } from './windows.ts'

export type ReadReceipt = { at: string; phone_number_id: string; message_id: string; typing: boolean }

/** The state of the simulated WhatsApp. */
export type Account = {
  world: World
  numbers: Numbers
  media: MediaStore
  links: DownloadLinks
  templates: Templates
  uploads: Uploads
  flows: Flows
  windows: CustomerWindows
  limits: RateLimits
  magic: MagicRecipients
  callbacks: Callbacks
  /** People whose both ids are told together. */
  people: People
  /** People who stopped marketing messages of an account: `<business_account_id> <wa_id>`. */
  opted_out: Set<string>
  /** Requests to paired phones, each of which is made once: `<phone_number_id> <sync_type>`. */
  synced: Set<string>
  /** The latest messages marked as read by clients. */
  reads: ReadReceipt[]
}

export function openAccount(world: World, numbers: WhatsAppNumber[]): Account {
  const uploads = new Uploads()
  const account: Account = {
    world,
    numbers: new Numbers(),
    media: new MediaStore(world.now),
    links: new DownloadLinks(world.now),
    templates: new Templates(uploads),
    uploads,
    flows: new Flows(),
    windows: new CustomerWindows(world.settings.window, world.now),
    limits: new RateLimits(world.settings.rate, world.now),
    magic: new MagicRecipients(MAGIC_RECIPIENTS),
    callbacks: new Callbacks(world),
    people: new People(),
    opted_out: new Set(),
    synced: new Set(),
    reads: [],
  }
  for (const number of numbers) account.numbers.put(number)
  return account
}
