/** A phone paired by QR code, and the simulator's terms for it. */
import { Evolution } from '../../../../actors/providers/evolution/mod.ts'
import type { Credentials } from '../../../../actors/providers/provider.ts'
import type { SimulatedSide } from '../simulated.ts'

const CREDENTIALS = { instance: 'shop phone', api_key: 'B6D711FCDE4D4FD5936544120E713976', webhook_secret: 'a-secret' }

export function phoneSide(): SimulatedSide & { provider: Evolution } {
  const { instance, api_key, webhook_secret } = CREDENTIALS
  return {
    channel: 'whatsapp_qr',
    provider: new Evolution({ deadline_ms: 2500 }),
    credentials: CREDENTIALS,
    accounts: (webhook_url) => ({
      evolution: [
        {
          instance,
          api_key,
          number: '5511988887777',
          webhook_url,
          webhook_headers: { 'X-Parley-Secret': webhook_secret },
        },
      ],
    }),
    errors: { auth: { code: 401 }, rate: { code: 429 }, permanent: { code: 400 } },
  }
}

export function secretOf(_: string, { webhook_secret = '' }: Credentials): string {
  return webhook_secret
}
