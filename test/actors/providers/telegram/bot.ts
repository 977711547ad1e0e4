/** A Telegram bot, and the simulator's terms for it. */
import type { Credentials } from '../../../../actors/providers/provider.ts'
import { Telegram } from '../../../../actors/providers/telegram/mod.ts'
import type { SimulatedSide } from '../simulated.ts'

const CREDENTIALS = { bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', webhook_secret: 'a-secret_token' }

export function botSide(): SimulatedSide & { provider: Telegram } {
  return {
    channel: 'telegram',
    provider: new Telegram({ deadline_ms: 2500 }),
    credentials: CREDENTIALS,
    accounts: (webhook_url) => ({ telegram: [{ ...CREDENTIALS, webhook_url }] }),
    errors: { auth: { code: 401 }, rate: { code: 429 }, permanent: { code: 403 } },
  }
}

export function secretOf(_: string, { webhook_secret = '' }: Credentials): string {
  return webhook_secret
}
