/** Reads for people who have or may become a contact. */
import type { Reads } from '../turn/reads.ts'
import type { ProjectState } from '../turn/state.ts'
import { customerLinkReads } from './customer_link.ts'
import { formsOf, personOf } from './identity.ts'
import { contactReads } from './reads.ts'

/** `channel_ids`: channels on which the person may become a contact. `phone`: that of the person, if a message has it. */
export function wantUser(
  reads: Reads,
  channel_type: string,
  user_id: string,
  channel_ids: Iterable<string>,
  phone?: string | null,
): void {
  const { newcomers } = reads.of(customerLinkReads)
  for (const channel_id of channel_ids) newcomers.push({ channel_type, channel_id, user_id, phone })
  const { users } = reads.of(contactReads)
  const set = users.get(channel_type) ?? new Set()
  users.set(channel_type, set)
  for (const form of formsOf(channel_type, user_id)) set.add(form)
}

/** `channel_id`: the named channel. Without it the candidates are all active channels of the type. */
export function wantPerson(reads: Reads, channel: string, to: string, channel_id?: string): void {
  const { user_id, bsuid } = personOf(channel, to)
  if (user_id) wantUser(reads, channel, user_id, channel_id ? [channel_id] : activeChannels(reads.state, channel))
  if (bsuid) reads.of(contactReads).bsuids.add(bsuid)
}

function* activeChannels({ channels }: ProjectState, channel_type: string): Iterable<string> {
  for (const channel of channels.values()) {
    if (channel.is_active && channel.channel_type === channel_type) yield channel.id
  }
}

/** The person of an item of a provider's call. */
export function wantIds(
  reads: Reads,
  { id, channel_type }: { id: string; channel_type: string },
  { user_id, bsuid, phone }: { user_id: string | null; bsuid?: string | null; phone?: string | null },
): void {
  if (user_id) wantUser(reads, channel_type, user_id, [id], phone)
  if (bsuid) reads.of(contactReads).bsuids.add(bsuid)
}
