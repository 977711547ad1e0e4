/** The simulated accounts of the demo, one of each channel type: as stored in Parley and as configured in the simulator. */

import type { ChannelType } from '../../../actors/mod.ts'
import type { SimulatorOptions } from '../../simulator/mod.ts'
import type { DevelopmentKeys } from '../keys.ts'

type Secrets = Omit<DevelopmentKeys['simulator'], 'port'>

export type SimulatorPlace = { url: string; smtp_port: number | undefined }

export type DemoAccount = {
  channel_type: ChannelType
  name: string
  provider_account_id: string | null
  /** Details of the account in `demo.json`. */
  facts: Record<string, string>
  credentials(place: SimulatorPlace): Record<string, string>
  /** The simulator's list that contains it, and its entry. Visitors of the web chat need no provider. */
  simulated: { list: 'numbers' | 'accounts' | 'bots' | 'mailboxes'; account: Record<string, string> } | null
}

/** The number of the demo; its account has the template. */
const NUMBER = { phone_number_id: '106540352242922', business_account_id: '102290129340398' } as const
const TEMPLATE = { template_name: 'order_update', template_language: 'en_US' } as const
const BOT = '110201543'
const MAILBOX = 'support@demo.parley.example'

export function demoAccounts({ access_token, app_secret, verify_token }: Secrets): DemoAccount[] {
  const webhook_secret = app_secret
  const bot_token = `${BOT}:${access_token}`
  const number = { ...NUMBER, access_token, app_secret, verify_token }
  const account = (channel_type: ChannelType, title: string, account_id: string): DemoAccount => {
    const secrets = { access_token, app_secret, ...(channel_type !== 'tiktok' && { verify_token }) }
    return {
      channel_type,
      name: `Demo ${title}`,
      provider_account_id: account_id,
      facts: { account_id },
      credentials: ({ url }) => ({ account_id, ...secrets, api_base_url: url }),
      simulated: { list: 'accounts', account: { channel: channel_type, account_id, ...secrets } },
    }
  }
  return [
    {
      channel_type: 'whatsapp',
      name: 'Demo WhatsApp number',
      provider_account_id: NUMBER.phone_number_id,
      facts: { phone_number_id: NUMBER.phone_number_id, ...TEMPLATE },
      credentials: ({ url }) => ({ ...number, api_base_url: url }),
      simulated: { list: 'numbers', account: { ...number, display_phone_number: '15550100001' } },
    },
    account('instagram', 'Instagram account', '17841400008460056'),
    account('messenger', 'Messenger page', '682498302938465'),
    account('facebook', 'Facebook page', '682498302938466'),
    {
      channel_type: 'telegram',
      name: 'Demo Telegram bot',
      provider_account_id: BOT,
      facts: { bot_id: BOT },
      credentials: ({ url }) => ({ bot_token, webhook_secret, api_base_url: url }),
      simulated: { list: 'bots', account: { bot_token, webhook_secret } },
    },
    account('tiktok', 'TikTok account', '7215532480182469637'),
    {
      channel_type: 'web',
      name: 'Demo chat',
      provider_account_id: null,
      facts: {},
      credentials: () => ({ visitor_secret: app_secret }),
      simulated: null,
    },
    {
      channel_type: 'email',
      name: 'Demo mailbox',
      provider_account_id: MAILBOX,
      facts: { address: MAILBOX },
      credentials: ({ smtp_port }) => ({
        smtp_url: `smtp://${encodeURIComponent(MAILBOX)}:${access_token}@127.0.0.1:${smtp_port}`,
        from: `Demo support <${MAILBOX}>`,
        inbound_secret: app_secret,
      }),
      simulated: {
        list: 'mailboxes',
        account: { address: MAILBOX, password: access_token, inbound_secret: app_secret },
      },
    },
  ]
}

/** The initial accounts of the simulator: they exist before the first message. */
export function simulatorAccounts(accounts: DemoAccount[]) {
  const of = (list: string) =>
    accounts.flatMap(({ simulated }) => (simulated?.list === list ? [simulated.account] : []))
  const lists = { numbers: of('numbers'), accounts: of('accounts'), telegram: of('bots'), mailboxes: of('mailboxes') }
  return lists as unknown as Pick<SimulatorOptions, keyof typeof lists>
}
