import { createHmac } from 'node:crypto'
import type { WhatsAppNumber } from '../options.ts'

/** One notification for the owner of a number. */
export type Notification = {
  number: WhatsAppNumber
  field: string
  /** Key of the list it belongs to within `value`, or none when it is the value itself. */
  list?: 'messages' | 'statuses' | 'user_preferences' | 'message_echoes'
  item: Record<string, unknown>
  contact?: Record<string, unknown>
  /** Short name for the log. */
  label: string
}

type Change = { field: string; value: Record<string, unknown> }
type Entry = { id: string; time?: number; changes: Change[] }

/**
 * Meta's envelope around one or more notifications: an entry per account, in it a change per number and kind, in it
 * the messages or statuses in the order given.
 */
export function envelope(notifications: Notification[], now_ms: number): Record<string, unknown> {
  const entries = new Map<string, Entry>()
  const changes = new Map<string, Change>()
  for (const { number, field, list, item, contact } of notifications) {
    let entry = entries.get(number.business_account_id)
    if (!entry) {
      entry = { id: number.business_account_id, changes: [] }
      entries.set(number.business_account_id, entry)
    }
    if (!list) {
      entry.time = Math.floor(now_ms / 1000)
      entry.changes.push({ field, value: item })
      continue
    }
    const key = `${number.phone_number_id}/${list}`
    let change = changes.get(key)
    if (!change) {
      const metadata = {
        display_phone_number: number.display_phone_number.replace(/\D/g, ''),
        phone_number_id: number.phone_number_id,
      }
      change = {
        field,
        value: { messaging_product: 'whatsapp', metadata, ...(contact ? { contacts: [] } : {}), [list]: [] },
      }
      changes.set(key, change)
      entry.changes.push(change)
    }
    ;(change.value[list] as unknown[]).push(item)
    const contacts = change.value.contacts as Record<string, unknown>[] | undefined
    if (contact && contacts && !contacts.some((known) => known.user_id === contact.user_id)) contacts.push(contact)
  }
  return { object: 'whatsapp_business_account', entry: [...entries.values()] }
}

/**
 * JSON as Meta's servers write it: all characters outside ASCII as lowercase \uXXXX, slashes escaped. A receiver that
 * parses and prints again before checking the signature fails on it.
 */
export function metaJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/\//g, '\\/')
    .replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The value of X-Hub-Signature-256 over the bytes of `body`. */
export function signature(body: string, app_secret: string): string {
  return `sha256=${createHmac('sha256', app_secret).update(body).digest('hex')}`
}
