/** The channel of `parley init`: its credentials, and the record of it. */
import { randomBytes } from 'node:crypto'
import { type Api, ApiRefusal } from '../api.ts'
import { CommandFailure } from '../failure.ts'
import type { Dialogue } from './dialogue.ts'
import { answer } from './place.ts'
import { done, failed } from './steps.ts'

export type Credentials = {
  phone_number_id: string
  business_account_id: string
  access_token: string
  app_secret: string
  verify_token: string
  api_base_url?: string
}

export type Channel = {
  _id: string
  webhook_path: string
  status: 'unverified' | 'connected' | 'disconnected'
  status_reason: string | null
}

export type ChannelOptions = {
  name?: string
  phoneNumberId?: string
  businessAccountId?: string
  accessToken?: string
  appSecret?: string
  verifyToken?: string
  apiBaseUrl?: string
}

const isId = (text: string) =>
  /^\d{5,30}$/.test(text) ? undefined : 'Type the id: digits alone, not the phone number.'

/** Asks for credentials that no option gives. */
async function askCredentials(dialogue: Dialogue, options: ChannelOptions): Promise<Credentials> {
  const business = 'developers.facebook.com → My Apps → your app'
  return {
    phone_number_id: await answer(dialogue, options.phoneNumberId, {
      text: 'Phone number ID',
      hint: `${business} → WhatsApp → API Setup, after the number is added`,
      option: '--phone-number-id',
      problem: isId,
    }),
    business_account_id: await answer(dialogue, options.businessAccountId, {
      text: 'WhatsApp Business Account ID',
      hint: 'On the same page',
      option: '--business-account-id',
      problem: isId,
    }),
    access_token: await answer(dialogue, options.accessToken, {
      text: 'Access token (not shown)',
      hint: 'business.facebook.com → Settings → System users: a token with whatsapp_business_messaging and whatsapp_business_management that does not expire',
      option: '--access-token',
      is_secret: true,
    }),
    app_secret: await answer(dialogue, options.appSecret, {
      text: 'App secret (not shown)',
      hint: `${business} → App settings → Basic`,
      option: '--app-secret',
      is_secret: true,
    }),
    verify_token: options.verifyToken ?? randomBytes(12).toString('hex'),
    ...(options.apiBaseUrl && { api_base_url: options.apiBaseUrl }),
  }
}

/** Connects the number, and asks again for credentials that Meta refuses. */
export async function connectChannel(
  api: Api,
  dialogue: Dialogue,
  project_id: string,
  options: ChannelOptions,
): Promise<{ channel: Channel; credentials: Credentials }> {
  let given = options
  for (;;) {
    const credentials = await askCredentials(dialogue, given)
    const channel = await storeChannel(api, project_id, given.name ?? 'WhatsApp', credentials)
    if (channel.status === 'connected') {
      const { templates } = await api.call('POST', `/admin/v1/channels/${channel._id}/check`)
      done(`Meta accepts the number. The channel is ${channel._id}, with ${templates.synced} templates.`)
      return { channel, credentials }
    }
    const reason = channel.status_reason ?? 'without a reason'
    if (!dialogue.is_possible) throw new CommandFailure(`Meta does not accept the number: ${reason}`)
    failed(`Meta does not accept the number: ${reason}`)
    if (!(await dialogue.agrees('Type the values again?'))) {
      throw new CommandFailure(`The channel ${channel._id} is stored and not connected.`)
    }
    const { name, apiBaseUrl } = options
    given = { ...(name && { name }), ...(apiBaseUrl && { apiBaseUrl }) }
  }
}

/** A new channel, or the one of the project that has the number, with these credentials. */
async function storeChannel(api: Api, project_id: string, name: string, credentials: Credentials): Promise<Channel> {
  const channel = { project_id, channel_type: 'whatsapp', provider: 'cloud', name, credentials }
  try {
    return await api.call('POST', '/admin/v1/channels', channel)
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.code !== 'CHANNEL_ALREADY_EXISTS') throw error
    const channels = await api.all('/admin/v1/channels', { project_id })
    const same = channels.find(({ provider_account_id }) => provider_account_id === credentials.phone_number_id)
    if (!same) throw error
    return api.call('PATCH', `/admin/v1/channels/${same._id}`, { credentials, is_active: true })
  }
}
