/** A whole Parley with its demo, and the window of an agent in front of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { postgresUrl } from '../../runtime/servers/postgres.ts'
import { people } from '../e2e/broadcast_client.ts'
import { type Child, startChild } from '../e2e/child.ts'
import { type Json, startClient } from '../e2e/client.ts'
import { made } from '../e2e/fixture.ts'
import { freePort, type Owner, tempDir } from '../support/mod.ts'
import { openWindow } from './window.ts'

/** Messages a second: slow enough to look, to leave and to come back while the broadcast goes on. */
export const SLOWLY = 12

const ORDER = { template_name: 'order_update', language: 'en_US' }

/** Opens a window before anybody has signed in. `shape`: what differs from the usual shape. */
export async function openAgentWindow(t: Owner, shape: BrowserContextOptions = {}) {
  const http = startClient(t)
  const data_dir = join(tempDir(t), '.parley')
  const env = { PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()) }

  async function start(): Promise<Child> {
    const child = startChild(t, new URL('../../http/app/serve.ts', import.meta.url), env)
    await child.line(/Ctrl-C stops everything/)
    return child
  }

  const parley = await start()
  const demo: Json = JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))
  const { base_url, project_id, agent } = demo
  const api = (method: string, path: string, json?: unknown) =>
    made(http(method, `${base_url}/v1/${path}`, { json, token: demo.token }))
  const operator = (method: string, path: string, json?: unknown) => {
    const ask = () => http(method, `${base_url}/admin/v1/${path}`, { json, token: demo.operator_key })
    // A POST that was answered with 503 may have been served.
    return made(method === 'POST' ? ask() : ask)
  }
  await operator('PATCH', `projects/${project_id}`, { limits: { minute: 100_000, hour: 100_000, day: 100_000 } })

  const window = await openWindow(t, shape)
  const { page } = window
  const list = `${base_url}/console#/projects/${project_id}/broadcasts`
  const h1 = () => page.locator('h1')

  async function signIn(password = agent.password): Promise<void> {
    await page.getByLabel('E-mail').fill(agent.email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }

  return {
    ...window,
    demo,
    /** The address of the console's first page, which lists the broadcasts. */
    list,
    parley,
    /** The address of its database. */
    databaseUrl(): string {
      const { postgres_port, postgres_password } = JSON.parse(readFileSync(join(data_dir, 'servers.json'), 'utf8'))
      return postgresUrl(postgres_port, postgres_password)
    },
    /** Starts Parley again on the same data. */
    start,
    api,
    operator,
    simulator: (path: string, json: unknown) => made(http('POST', `${demo.simulator_url}/_control/${path}`, { json })),
    pace: (messages_per_second: number) =>
      operator('PATCH', `channels/${demo.channels.whatsapp.id}`, { messages_per_second }),
    /** Sends to `n` people, the first of whom has the number `first`. Resolves to the id of the broadcast. */
    async send(n: number, campaign_name?: string, first = 0): Promise<string> {
      const recipients = people(n, first)
      return (await api('POST', 'messages/bulk', { ...ORDER, campaign_name, recipients })).broadcast_id
    },
    signIn,
    async openSignedIn(): Promise<void> {
      await page.goto(list)
      await signIn()
      await h1().filter({ hasText: 'Broadcasts' }).waitFor()
    },
    h1,
    row: (id: string) => page.locator('.row', { has: page.locator(`[id="${id}"]`) }),
    badge: () => page.locator('.page-name .badge'),
    focused: () => page.evaluate<string>('document.activeElement.textContent.trim()'),
    /** Returns the id of the row with the focus, which is the id of its broadcast. */
    focusedId: () => page.evaluate<string>('document.activeElement.id'),
  }
}
