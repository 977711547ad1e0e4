/** The channel of `parley init`: the check of its credentials, and the record of it. */
import type { Api } from '../connection/api.ts'
import type { Project } from '../records/generated.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { askCredentials, type CredentialOptions, type Credentials, credentialsOf } from './credentials.ts'
import type { Dialogue } from './dialogue.ts'
import { MetaRefusal, type NumberAtMeta, numberAtMeta } from './meta.ts'
import { done, failed, note } from './steps.ts'

export type Channel = {
  _id: string
  project_id: string
  channel_type: string
  provider_account_id: string | null
  webhook_path: string
  status: 'unverified' | 'connected' | 'disconnected'
  status_reason: string | null
}

export type ChannelOptions = CredentialOptions & { name?: string; verifyToken?: string }

/** A number, as Meta was asked about it from this machine; undefined where this machine does not reach Meta. */
export type CheckedNumber = { credentials: Credentials; at_meta: NumberAtMeta | undefined }

/** Credentials that Meta accepts. Asks again for those that it refuses; stores nothing. */
export async function findNumber(
  dialogue: Dialogue,
  options: ChannelOptions,
  signal: AbortSignal,
): Promise<CheckedNumber> {
  let entered = credentialsOf(options)
  for (;;) {
    const credentials = await askCredentials(dialogue, entered)
    try {
      const at_meta = await numberAtMeta(credentials, signal)
      done(`Meta knows the number ${at_meta.display}, and accepts the token and the app secret.`)
      return { credentials, at_meta }
    } catch (error) {
      if (signal.aborted || !(error instanceof CommandFailure)) throw error
      if (!(error instanceof MetaRefusal)) {
        note(`${error.message} The server asks Meta next.`)
        return { credentials, at_meta: undefined }
      }
      if (!dialogue.is_possible) throw error
      failed(error.message)
      if (!(await dialogue.agrees('Type the values again?', true))) throw new CommandFailure('Ended.')
      const { api_base_url } = entered
      entered = api_base_url === undefined ? {} : { api_base_url }
    }
  }
}

/**
 * The channel that has the number already, if any.
 * @throws {CommandFailure} when it belongs to another project: the webhooks of the number would leave that one
 */
export async function channelOf(
  api: Api,
  project: Project | undefined,
  { phone_number_id }: Credentials,
): Promise<Channel | undefined> {
  const channels: Channel[] = await api.all('/admin/v1/channels')
  const same = channels.filter(
    ({ channel_type, provider_account_id }) => channel_type === 'whatsapp' && provider_account_id === phone_number_id,
  )
  const own = same.find(({ project_id }) => project_id === project?._id)
  const [other] = same
  if (own || !other) return own
  throw new CommandFailure(
    `The number is the channel ${other._id} of the project ${other.project_id}: ` +
      `give --project ${other.project_id}, or delete that channel first.`,
  )
}

type Setup = { project: Project; present: Channel | undefined; credentials: Credentials; verify_token: string }

/** Makes the channel, or gives the present one these credentials. */
export function storeChannel(
  api: Api,
  { project, present, credentials, verify_token }: Setup,
  options: ChannelOptions,
): Promise<Channel> {
  const { name, verifyToken } = options
  const changed = { ...credentials, ...(verifyToken && { verify_token }) }
  return present
    ? api.call('PATCH', `/admin/v1/channels/${present._id}`, {
        ...(name && { name }),
        credentials: changed,
        is_active: true,
      })
    : api.call('POST', '/admin/v1/channels', {
        project_id: project._id,
        channel_type: 'whatsapp',
        provider: 'cloud',
        name: name ?? 'WhatsApp',
        credentials: { ...credentials, verify_token },
      })
}

type Check = { ok: boolean; reason: string | null; templates: { synced: number } }

/** Returns when the server's own check of a channel succeeds. @throws {CommandFailure} with Meta's reason */
export async function checkChannel(api: Api, dialogue: Dialogue, { _id }: Channel): Promise<void> {
  for (;;) {
    const path = `/admin/v1/channels/${_id}/check`
    const { ok, reason, templates } = await api.call<Check>('POST', path)
    if (ok) {
      return done(`The channel is ${_id}, with ${templates.synced} templates of the number.`)
    }
    const sentence = `The server's check at Meta fails: ${reason ?? 'without a reason'}`
    if (!dialogue.is_possible) throw new CommandFailure(sentence)
    failed(sentence)
    if (!(await dialogue.agrees('Check again?', true))) throw new CommandFailure('Ended.')
  }
}
