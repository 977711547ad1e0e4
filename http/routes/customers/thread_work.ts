/** Takes over and gives back the conversation with a person, at the provider and then here. */
import type { Providers, ThreadMove } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { Channel, Contact, type Database, findContact, readRows } from '../../../storage/mod.ts'
import type { Operation, Outcome } from '../../server/changes/operation.ts'
import { throwFailure } from '../cloud_channel.ts'

type Where = { database: Database; project_id: string }

/**
 * Repeating it has no further effect, so an earlier request in doubt does not matter: a conversation that was passed to an app already
 * is refused by the provider, and the person's next message shows that Parley has it no more. The answer is the contact.
 *
 * @throws {Refusal} NOT_FOUND, CHANNEL_NOT_FOUND, CHANNEL_NOT_CONNECTED, CHANNEL_REQUIRED, OPERATION_NOT_SUPPORTED_FOR_CHANNEL,
 * PROVIDER_REFUSED
 * @throws {UpstreamFailure} PROVIDER_UPSTREAM_ERROR
 */
export async function moveThread(
  providers: Providers,
  where: Where,
  { id, channel_id, move }: { id: string; channel_id?: string | undefined; move: ThreadMove },
  { deadline }: Operation,
): Promise<Outcome> {
  const contact = await findContact(where.database, where.project_id, id)
  if (!contact) throw new Refusal('NOT_FOUND')
  const channel = await channelOf(where, contact, channel_id)
  const { _id, channel_type, provider: name } = channel
  const provider = providers.of(channel)
  if (!provider?.moveThread) {
    throw new Refusal('OPERATION_NOT_SUPPORTED_FOR_CHANNEL', {
      details: { channel_id: _id, channel_type, provider: name },
    })
  }
  const credentials = JSON.parse(where.database.vault.open(_id, 'credentials', channel.credentials!))
  const { _id: identity_id, user_id, bsuid = null } = await identityOf(where, contact, _id)
  const signal = AbortSignal.timeout(Math.ceil(Math.max(1, deadline - performance.now())))
  const moved = await provider.moveThread(credentials, { user_id, bsuid }, move, signal)
  if ('failure' in moved) throwFailure(moved.failure, 'PROVIDER_UPSTREAM_ERROR')
  return {
    changes: [{ type: 'move_thread', id, identity_id, channel_id: _id, holder: moved.holder }],
    answer: { record: true },
  }
}

/**
 * The contact under whose ids the conversation is, which may have been merged into this one. Where the provider never told of
 * another app, it is that under whose ids the person wrote last.
 */
async function identityOf({ database, project_id }: Where, contact: Contact, channel_id: string): Promise<Contact> {
  const thread = contact.threads?.[channel_id]
  const _id = thread ? thread.contact_id : contact.send_to?.contact_id
  if (_id === undefined) return contact
  const [identity] = await readRows(database, Contact, { project_id, _id })
  return identity ?? contact
}

/** The named channel, else the one of which the provider told another app, else the only one that can reach the contact. */
async function channelOf(
  { database, project_id }: Where,
  contact: Contact,
  channel_id: string | undefined,
): Promise<Channel> {
  const { channel_type, threads } = contact
  const all = await readRows(database, Channel, { project_id, channel_type })
  const possible = all.filter(({ _id }) => contact.channel_id == null || _id === contact.channel_id)
  if (channel_id !== undefined) {
    const named = possible.find(({ _id }) => _id === channel_id)
    if (!named) throw new Refusal('CHANNEL_NOT_FOUND', { details: { channel_id } })
    if (!named.is_active) throw new Refusal('CHANNEL_NOT_CONNECTED', { details: { channel_id } })
    return named
  }
  const active = possible.filter(({ is_active }) => is_active)
  const shared = active.filter(({ _id }) => threads && Object.hasOwn(threads, _id))
  const [only, ...others] = shared.length > 0 ? shared : active
  if (!only) throw new Refusal('CHANNEL_NOT_CONNECTED', { details: { channel: channel_type } })
  if (others.length === 0) return only
  const channels = [only, ...others].map(({ _id, name, provider_account_id }) => ({
    id: _id,
    name,
    provider_account_id,
  }))
  throw new Refusal('CHANNEL_REQUIRED', { details: { channels } })
}
