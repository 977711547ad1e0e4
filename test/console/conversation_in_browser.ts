/**
 * A visitor in the web chat and an agent in the console hold a conversation through two nodes, while nodes are killed and
 * the network is cut. At the end both pages show what the database has: nothing lost, nothing doubled, in one order.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { Locator } from 'playwright-core'
import t from 'tap'
import { refOf } from '../../actors/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { makeAgent, PASSWORD } from '../e2e/console_client.ts'
import { startDoor } from '../e2e/door.ts'
import { made, makeTenant, settings } from '../e2e/fixture.ts'
import { type Killable, startKillable } from '../e2e/killable.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { ANY_IMPACT, openWindow } from './window.ts'

t.setTimeout(900_000)

/** Longer than a partition takes to move to another node on a busy machine. */
const PATIENCE_MS = 120_000
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAAAAACoWZBhAAAAD0lEQVR4nGOYAAcMtGcCABbiOEF9OAFyAAAAAElFTkSuQmCC',
  'base64',
)
const pictureOf = (name: string) => ({ name, mimeType: 'image/png', buffer: PICTURE })

const config = await settings(t)
const ports = [config.port, await freePort()]
const urls = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string]
/** Each page prefers a node of its own. */
const doors = { visitor: await startDoor(t, urls), agent: await startDoor(t, urls.toReversed()) }
const env = () => ({
  PARLEY_SECRET: TEST_SECRET,
  // Files have the same address at both nodes, and lie in one place.
  PARLEY_BASE_URL: doors.agent.base_url,
  PARLEY_BLOB_URL: `file://${config.data_dir}/blobs`,
})
const nodes = {
  visitor: await startKillable(t, { config, env }),
  agent: await startKillable(t, { config: { ...config, port: ports[1]!, data_dir: tempDir(t) }, env }),
}
const database = await openDatabase({ url: config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const tenant = await makeTenant(nodes.visitor)
const { _id: channel_id } = await made(
  nodes.visitor.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'web',
    provider: 'cloud',
    name: 'Shop',
    credentials: { visitor_secret: 'the secret of the visitors' },
  }),
)
const { email } = await makeAgent(nodes.visitor, tenant)

const window = await openWindow(t)
const { page: agent, faults, inspect } = window
const visitor = await window.openOther()
const writes = visitor.getByLabel('Write a message')
const replies = agent.getByLabel('Reply', { exact: true })
/** The texts of each side, in the order in which it says them. */
const said = { visitor: [] as string[], agent: [] as string[] }

async function visitorSays(text: string): Promise<void> {
  said.visitor.push(text)
  await writes.fill(text)
  await writes.press('Enter')
}

async function agentSays(text: string): Promise<void> {
  said.agent.push(text)
  await replies.fill(text)
  await replies.press('Enter')
}

const atAgent = (text: string) =>
  agent.locator('.inbox-message:not(.is-pending)', { has: agent.getByText(text, { exact: true }) })
const atVisitor = (text: string) => visitor.locator('li:not(.day)', { has: visitor.getByText(text, { exact: true }) })
const bothHave = (...texts: string[]) =>
  Promise.all(texts.flatMap((text) => [atAgent(text).waitFor(), atVisitor(text).waitFor()]))
const hasTicks = (text: string, status: string) => atAgent(text).locator(`.ticks.is-${status}`).waitFor()
const banner = {
  visitor: visitor.getByRole('status').filter({ hasText: /Reconnecting|cannot be reached/ }),
  agent: agent.locator('.connection.reconnecting'),
}
const areLive = () =>
  Promise.all([agent.locator('.connection.live').waitFor(), banner.visitor.waitFor({ state: 'detached' })])

const idsAtAgent = () => agent.locator('.inbox-message').evaluateAll((all: Json[]) => all.map(({ id }): string => id))
const refsAtVisitor = () =>
  visitor.locator('li[data-ref]').evaluateAll((all: Json[]) => all.map(({ dataset }): string => dataset.ref))

/** A page of a shop that has the chat in its corner. */
async function shop(): Promise<string> {
  const script = `<script src="${doors.visitor.base_url}/widget.js" data-channel="${channel_id}" async></script>`
  const host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><html lang="en"><title>A shop</title>${script}<main><h1>A shop</h1></main></html>`)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  t.teardown(() => host.close())
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
}

t.test('the agent answers a visitor, and ticks say how far each answer has come', async (t) => {
  await agent.goto(`${doors.agent.base_url}/console#/projects/${tenant.project_id}/inbox`)
  await agent.getByLabel('E-mail').fill(email)
  await agent.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await agent.keyboard.press('Enter')
  await agent.locator('.connection.live').waitFor()
  await visitor.goto(await shop())
  await visitor.getByRole('button', { name: 'Open chat' }).click()
  await visitorSays('Hello, is anybody there?')
  await agent.locator('.inbox-row .inbox-link').click()
  await agentSays('Yes, how can I help?')
  await bothHave(...said.visitor, ...said.agent)
  await hasTicks('Yes, how can I help?', 'read')

  await visitor.keyboard.press('Escape')
  await visitor.getByRole('dialog', { name: 'Shop' }).waitFor({ state: 'hidden' })
  await agentSays('I am here until six.')
  await hasTicks('I am here until six.', 'delivered')
  doors.visitor.close()
  await agentSays('And tomorrow from nine.')
  await hasTicks('And tomorrow from nine.', 'sent')
  doors.visitor.open()
  await hasTicks('And tomorrow from nine.', 'delivered')
  await visitor.getByRole('button', { name: /^Open chat/ }).click()
  for (const text of said.agent) await hasTicks(text, 'read')
  await areLive()
  t.same([doors.visitor.reached(), doors.agent.reached()], urls, 'each page has a node of its own')
})

for (const [who, other] of [
  ['visitor', 'agent'],
  ['agent', 'visitor'],
] as const) {
  t.test(`the node of the ${who} is killed in the middle, and the page comes back on the other one`, async (t) => {
    await visitorSays(`Before the node of the ${who} ends`)
    await agentSays(`Seen before the node of the ${who} ends`)
    await nodes[who].process().end('SIGKILL')
    await visitorSays(`Still there without the node of the ${who}?`)
    await agentSays(`Still here without the node of the ${who}.`)
    await bothHave(...said.visitor.slice(-2), ...said.agent.slice(-2))
    await areLive()
    t.equal(doors[who].reached(), nodes[other].base_url)
    t.equal(doors[other].reached(), nodes[other].base_url)
    await visitorSays(`All well without the node of the ${who}?`)
    await agentSays(`All well without the node of the ${who}.`)
    await hasTicks(said.agent.at(-1)!, 'read')
    await nodes[who].start()
    await eventually('both nodes work', () => ready(nodes[who]), PATIENCE_MS)
  })
}

const ready = async ({ http, base_url }: Killable) =>
  (await http('GET', `${base_url}/ready`).catch(() => undefined))?.status === 200

t.test(
  'while the network is cut both pages say so, and what is written is delivered once, in order, after',
  async (t) => {
    doors.visitor.close()
    doors.agent.close()
    await Promise.all([banner.visitor.waitFor(), banner.agent.waitFor()])
    for (let n = 1; n <= 3; n++) {
      await visitorSays(`Question ${n} without a network`)
      await agentSays(`Answer ${n} without a network`)
    }
    await agent.locator('.is-pending', { hasText: 'Sent when Parley can be reached' }).nth(2).waitFor()
    await visitor.getByText('Sending…').nth(2).waitFor()
    t.equal(await agent.locator('.inbox-failure').count(), 0, 'nothing asks the agent to send it again')
    t.same(await inspect('conversation-cut', ANY_IMPACT), [])
    doors.visitor.open()
    doors.agent.open()
    await bothHave(...said.visitor.slice(-3), ...said.agent.slice(-3))
    await areLive()
    await eventually('nothing waits', async () => {
      return (await agent.locator('.is-pending').count()) + (await visitor.getByText('Sending…').count()) === 0
    })
    await eventually('the open ticket is read', async () => (await agent.locator('.inbox-row .count').count()) === 0)
  },
)

t.test('files go both ways', async (t) => {
  const isShown = (picture: Locator) =>
    eventually('the picture is shown', () => picture.evaluate((one: Json) => one.complete && one.naturalWidth === 10))
  await visitor.locator('input[type=file]').setInputFiles(pictureOf('shoe.png'))
  const from_visitor = agent.locator('.inbox-message.is-inbound img')
  await from_visitor.waitFor()
  await isShown(from_visitor)
  await agent.getByLabel('Files', { exact: true }).setInputFiles(pictureOf('box.png'))
  await agent
    .getByRole('button', { name: /^Send\b/ })
    .and(agent.locator('[aria-disabled=false]'))
    .click()
  const from_agent = visitor.locator('li.theirs .bubble img')
  await from_agent.waitFor()
  await isShown(from_agent)
  const kept = await visitor.request.get((await from_agent.getAttribute('src'))!)
  t.ok(PICTURE.equals(await kept.body()), 'it is the same file')
  await agent
    .locator('.inbox-message.is-outbound', { has: agent.locator('img') })
    .locator('.ticks.is-read')
    .waitFor()
})

t.test('both pages show what the database has', async (t) => {
  const rows: Json[] = await database.execute(
    `select id, direction, status, provider_message_id, message->>'body' body
     from message where channel_id = ? order by created_at, id`,
    [channel_id],
  )
  for (const [who, direction] of [
    ['visitor', 'inbound'],
    ['agent', 'outbound'],
  ] as const) {
    const texts = rows.filter((row) => row.direction === direction && row.body !== null).map(({ body }) => body)
    t.strictSame(texts, said[who], `everything that the ${who} said is stored once, in order`)
  }
  const ids = rows.map(({ id }) => id)
  t.strictSame(await idsAtAgent(), ids, 'the agent sees all messages in their order')
  const ticks = await agent
    .locator('.inbox-message.is-outbound .ticks')
    .evaluateAll((all: Json[]) => all.map(({ className }) => className.replace(/^ticks is-/, '')))
  t.strictSame(
    ticks,
    rows.filter(({ direction }) => direction === 'outbound').map(({ status }) => status),
  )
  const refs = await refsAtVisitor()
  const stored = rows.map(({ id, provider_message_id }) => provider_message_id ?? refOf(id))
  t.strictSame(refs, stored, 'the visitor sees the same messages in the same order')
  await Promise.all([agent.reload(), visitor.reload()])
  // The chat is open again by itself.
  const shown = async () => [await idsAtAgent(), await refsAtVisitor()]
  await eventually('both pages are back', async () => isDeepStrictEqual(await shown(), [ids, stored])).catch(() => {})
  t.strictSame(await shown(), [ids, stored], 'pages that are loaded again show the same messages in the same order')
})

t.test('the pages have no error in any of these tests', async (t) => {
  t.same(faults, [])
})
