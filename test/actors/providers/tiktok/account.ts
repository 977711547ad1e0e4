/** A TikTok account, and a server whose pictures it may send. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { OutboundGuard } from '../../../../actors/outbound/mod.ts'
import type { Credentials } from '../../../../actors/providers/provider.ts'
import { TikTok } from '../../../../actors/providers/tiktok/mod.ts'
import { files } from '../../../http/media_files.ts'
import type { SimulatedSide } from '../simulated.ts'

export const ACCOUNT = { account_id: '7215532480182469637', access_token: 'act.token', app_secret: 'an-app-secret' }

export function tiktokSide(deadline_ms = 2500): SimulatedSide {
  return {
    channel: 'tiktok',
    provider: new TikTok({ deadline_ms, guard: new OutboundGuard({ allow_networks: ['127.0.0.0/8'] }) }),
    credentials: ACCOUNT,
    accounts: (webhook_url) => ({ accounts: [{ channel: 'tiktok', ...ACCOUNT, webhook_url }] }),
    errors: { auth: { code: 40105 }, rate: { code: 40100 }, permanent: { code: 40002 } },
  }
}

export function signTikTok(raw: string, { app_secret = '' }: Credentials, t = 1_795_000_000): string {
  return `t=${t},s=${createHmac('sha256', app_secret).update(`${t}.${raw}`).digest('hex')}`
}

const contentOf = (type = '', bytes: number) =>
  Buffer.concat([type === 'png' ? files.png! : Buffer.from('<html></html>'), Buffer.alloc(bytes)])

/** Starts a server whose path tells the answer: `/200/image/png/<bytes>`, `/404/…`. */
export async function startPictures(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    const [, status, kind, type, bytes] = (request.url ?? '').split('/')
    response.writeHead(Number(status), { 'content-type': `${kind}/${type}` }).end(contentOf(type, Number(bytes ?? 0)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
