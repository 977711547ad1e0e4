/** Accounts of Messenger, Instagram and Facebook whose webhook a test calls as Meta does. */
import { createHmac } from 'node:crypto'
import type { Answer, Json } from '../e2e/client.ts'
import { made, type Outside, type Tenant } from '../e2e/fixture.ts'

export type PageAccount = { channel: string; channel_id: string; account_id: string; app_secret: string }

let accounts = process.pid * 1000

/** Adds an account to the simulator and connects it to the project. */
export async function connectPage(world: Outside, { project_id }: Tenant, channel: string): Promise<PageAccount> {
  const account_id = String(17_000_000_000_000 + ++accounts)
  const secrets = { access_token: `token-${account_id}`, app_secret: `secret ${account_id}`, verify_token: 'verify' }
  await made(world.control('PUT', 'accounts', { channel, account_id, ...secrets }))
  const { _id: channel_id } = await made(
    world.operator('POST', 'channels', {
      project_id,
      channel_type: channel,
      name: `${channel} ${account_id}`,
      provider: 'simulator',
      credentials: { account_id, ...secrets, api_base_url: world.simulator_url },
    }),
  )
  const webhook_url = `${world.base_url}/providers/${channel}/${channel_id}`
  await made(world.control('PUT', 'accounts', { channel, account_id, ...secrets, webhook_url }))
  return { channel, channel_id, account_id, app_secret: secrets.app_secret }
}

/** One call with these events of people. Each is of now and to the account, unless it says otherwise. */
export function callAsPage(
  { http, base_url }: Pick<Outside, 'http' | 'base_url'>,
  { channel, channel_id, account_id, app_secret }: PageAccount,
  events: Json[],
  field = 'messaging',
): Promise<Answer> {
  const told = events.map((event) => ({ recipient: { id: account_id }, timestamp: Date.now(), ...event }))
  const object = channel === 'instagram' ? 'instagram' : 'page'
  const raw = JSON.stringify({ object, entry: [{ id: account_id, time: Date.now(), [field]: told }] })
  const signature = `sha256=${createHmac('sha256', app_secret).update(raw).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
  return http('POST', `${base_url}/providers/${channel}/${channel_id}`, { raw, headers })
}
