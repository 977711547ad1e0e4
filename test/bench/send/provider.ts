/** The provider of both sides: the simulator in a process of its own, without windows and rate limits. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChild } from '../servers/child.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The one business number of the simulator, as a Cloud API channel's credentials. */
export const CREDENTIALS = {
  phone_number_id: '100000000000001',
  business_account_id: '200000000000001',
  access_token: 'bench-access-token',
  app_secret: 'bench-app-secret',
  verify_token: 'bench-verify-token',
}

/** `notify` turns status callbacks on (to this URL) or off. */
export type Provider = {
  pid: number
  url: string
  notify(webhook_url: string | null): Promise<void>
  stop(): Promise<void>
}

/** Starts a simulator that reports `sent` at once and `delivered` soon after. */
export async function startProvider(): Promise<Provider> {
  const number = { ...CREDENTIALS, display_phone_number: '+15550100001' }
  const options = {
    numbers: [number],
    statuses: { sent_ms: 5, delivered_ms: 20, read: false },
    window: { enforced: false },
    log: { sent: 10 },
  }
  let url = ''
  const child = await startChild({
    name: 'provider simulator',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(ROOT, 'http/simulator/main.ts'), JSON.stringify(options)],
    ready: ({ output }) => {
      url = output().match(/\{"url":"([^"]+)"/)?.[1] ?? ''
      return url !== ''
    },
  })
  const notify = async (webhook_url: string | null) => {
    const response = await fetch(`${url}/_control/numbers`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone_number_id: number.phone_number_id, webhook_url }),
    })
    if (!response.ok) throw new Error(`the simulator refused the webhook: ${await response.text()}`)
  }
  return { pid: child.pid, url, notify, stop: child.stop }
}
