/** The console in Chromium, in a project of 100,000 tickets while 50 changes a second happen. */
import { mkdirSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Benchmark, Options } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { quantile } from '../report/figures.ts'
import { figureGoal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { cpuSeconds, peakMebibytes } from '../report/usage.ts'
import { adminOf, startParley, UNLIMITED } from '../servers/parley.ts'
import { type Demo, Happenings } from './happenings.ts'
import { momentOf, seedTickets, storedMessages } from './seed.ts'
import { launch, openTab, scriptSizes, type Tab } from './window.ts'

const TICKETS = 100_000
const PER_SECOND = 50
const TABS = 3
const SUMMARY = `the console in Chromium: ${TICKETS.toLocaleString('en-GB')} tickets, ${PER_SECOND} changes a second`
const SCENARIO = 'an agent works'

const PAINT = 'ms from an interaction to the next paint, 95th percentile'
const TEXT = 'Your order is on its way.'
/** Between two keys: 25 keys a second, twice a fast typist and nearly a held key. */
const KEY_MS = 40
const KINDS = { click: 'ms of a click, 95th percentile', keydown: 'ms of a key', wheel: 'ms of scrolling' }
const OPENING = 'ms from a click on a ticket until its messages are shown, median'
const FIRST_VIEW = 's until the first view, without a cache'
const FIRST_KB = 'KB of JavaScript for the first view (gzip)'
const ALL_KB = 'KB of JavaScript that a page loads at once, with all that follows the first view (gzip)'
const REQUESTS = 'requests of a page that is loaded again'
const MISSING = 'messages that a tab was not told, all tabs together'
const STRANGE = 'messages that a tab was told and the database lacks'
const TOLD = 'messages told to each tab'
const BUSY = '% of a page’s main thread, without interactions'
const LOAD = 'load average of the machine'

const GOALS = [
  figureGoal(SCENARIO, 'parley', PAINT, 100),
  figureGoal(SCENARIO, 'parley', FIRST_VIEW, 1),
  figureGoal(SCENARIO, 'parley', FIRST_KB, 60),
  figureGoal(SCENARIO, 'parley', REQUESTS, 3),
  figureGoal(SCENARIO, 'parley', MISSING, 0),
  figureGoal(SCENARIO, 'parley', STRANGE, 0),
]

/** The benchmark `console`. `--seconds` is the time in which the agent works. */
export const agentConsole: Benchmark = { id: 'console', summary: SUMMARY, run }

async function run({ rounds, seconds, directory }: Options): Promise<Report> {
  const base = join(directory, 'console')
  mkdirSync(base, { recursive: true })
  const machine = describeMachine(directory)
  const row: Row = { scenario: SCENARIO, peer: 'parley', rounds: [], cpu: [], noise: [], peak_mib: {}, problems: [] }
  const not_run: Record<string, string> = {}
  const started: (() => unknown)[] = []
  try {
    const node = await startParley(base)
    started.push(() => node.child.stop())
    const demo: Demo = JSON.parse(readFileSync(join(base, 'parley/demo.json'), 'utf8'))
    await adminOf(node.port)('PATCH', `/projects/${demo.project_id}`, { limits: UNLIMITED })
    const tickets = await seedTickets(node.database_url, demo.project_id, TICKETS)
    const browser = await launch()
    started.push(() => browser.close())
    const processes = { parley: node.child.pid }
    for (let round = 0; round < rounds; round++) {
      process.stderr.write('.')
      const used = cpuSeconds(processes)
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
      const measured = await measure({ demo, tickets, seconds, context, database_url: node.database_url })
      await context.close()
      const after = cpuSeconds(processes)
      row.cpu.push({ parley: ((after.parley! - used.parley!) * 1000) / measured.operations })
      row.rounds.push(measured)
    }
    row.peak_mib = peakMebibytes(processes)
  } catch (error) {
    not_run.parley = error instanceof Error ? (error.stack ?? error.message) : String(error)
  } finally {
    for (const stop of started.reverse()) await stop()
  }
  const rows = row.rounds.length > 0 ? [row] : []
  const verdicts = GOALS.map((goal) => judge(goal, rows))
  return { id: 'console', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run }
}

type Round = {
  demo: Demo
  tickets: string[]
  seconds: number
  context: import('playwright-core').BrowserContext
  database_url: string
}

async function measure({ demo, tickets, seconds, context, database_url }: Round): Promise<Row['rounds'][number]> {
  const inbox = `${demo.base_url}/console#/projects/${demo.project_id}/inbox/all`
  await signIn(context, demo)
  const happenings = new Happenings(demo, tickets)
  happenings.start(PER_SECOND)
  const tabs: Tab[] = []
  try {
    const tab = await openTab(context)
    await tab.page.goto(inbox)
    await tab.page.locator('.inbox-row').first().waitFor()
    const first_view_ms = await tab.page.evaluate<number>('measured.first_view_ms')
    await tab.page.waitForTimeout(1000)
    const { first_kb, all_kb } = await scriptSizes(tab)
    tabs.push(tab)
    while (tabs.length < TABS) {
      const other = await openTab(context)
      await other.page.goto(inbox)
      tabs.push(other)
    }
    for (const { page } of tabs) await page.locator('.connection.live').waitFor()
    const since = await momentOf(database_url)
    await tab.page.bringToFront()
    const busy = await busyShare(tab.page, 3000)
    const began = performance.now()
    const { done } = happenings
    const opened_ms = await work(tab.page, seconds * 1000)
    const worked_s = (performance.now() - began) / 1000
    const interactions = await tab.page.evaluate<{ type: keyof typeof KINDS; ms: number }[]>('measured.interactions')
    const operations = happenings.done - done
    await tab.page.goto(`${inbox}/${tickets[0]}`)
    await isRestored(tab.page)
    await happenings.stop()
    const told = tabs.map(({ messages }) => new Set(messages))
    await tab.page.reload()
    await isRestored(tab.page)
    const requests = tab.asked.length
    const stored = await storedMessages(database_url, demo.project_id)
    const missing = told.map((one) => [...stored].filter(([id, at]) => at > since && !one.has(id)).length)
    const strange = told.map((one) => [...one].filter((id) => !stored.has(id)).length)
    const all = interactions.map(({ ms }) => ms)
    const of = (type: string) => interactions.filter((one) => one.type === type).map(({ ms }) => ms)
    const sum = (list: number[]) => list.reduce((one, other) => one + other, 0)
    return {
      operations,
      issued: operations + happenings.failed,
      errors: happenings.failed,
      seconds: worked_s,
      p50_ms: quantile(all, 0.5),
      p99_ms: quantile(all, 0.99),
      figures: {
        [PAINT]: quantile(all, 0.95),
        ...Object.fromEntries(Object.entries(KINDS).map(([type, name]) => [name, quantile(of(type), 0.95)])),
        [OPENING]: quantile(opened_ms, 0.5),
        [FIRST_VIEW]: first_view_ms / 1000,
        [FIRST_KB]: first_kb,
        [ALL_KB]: all_kb,
        [REQUESTS]: requests,
        [MISSING]: sum(missing),
        [STRANGE]: sum(strange),
        [TOLD]: Math.min(...told.map(({ size }) => size)),
        [BUSY]: busy * 100,
        [LOAD]: loadavg()[0]!,
      },
    }
  } finally {
    await happenings.stop()
  }
}

/** Signs in on a page whose files a page of the measured context does not find in its cache. */
async function signIn(context: Round['context'], { base_url, agent }: Demo): Promise<void> {
  const answer = await context.request.post(`${base_url}/console/session`, {
    headers: { origin: base_url },
    data: { email: agent.email, password: agent.password },
  })
  if (answer.status() !== 201) throw new Error(`signing in was answered with ${answer.status()}`)
}

/** Pixels of a row, and of what is above the rows. */
const ROW = 82
const LIST_TOP = 100
/** A click on the ticket that is open opens none. */
const OPEN_WITHIN_MS = 3000
const OPENED = `(before) => location.hash !== before &&
  document.querySelector('.inbox-entries[aria-busy=false] .inbox-message') !== null`

/** Opens tickets, writes, changes the view and scrolls. Returns the times in which tickets opened. */
async function work(page: Page, ms: number): Promise<number[]> {
  const opened_ms: number[] = []
  const list = page.locator('.inbox-list')
  let turn = 0
  for (const end = performance.now() + ms; performance.now() < end; ) {
    await list.hover()
    for (let n = 0; n < 8; n++) await page.mouse.wheel(0, n < 4 ? 300 : -300)
    // Rows move under the pointer, so the agent clicks at a place and not at a row.
    const { x, y } = (await page.locator('.inbox-list .virtual').boundingBox())!
    const before = await page.evaluate<string>('location.hash')
    const began = performance.now()
    await page.mouse.click(x + 160, Math.max(y, LIST_TOP) + ROW * (1.5 + (turn++ % 5)))
    const is_open = await page.waitForFunction(OPENED, before, { timeout: OPEN_WITHIN_MS }).then(
      () => true,
      () => false,
    )
    if (is_open) opened_ms.push(performance.now() - began)
    const field = page.getByLabel('Reply', { exact: true })
    // Outside of the reply window there is none.
    const has_field = await field.waitFor({ timeout: OPEN_WITHIN_MS }).then(
      () => true,
      () => false,
    )
    if (has_field) {
      await field.click()
      await page.keyboard.type(TEXT, { delay: KEY_MS })
      for (const _ of TEXT) await page.keyboard.press('Backspace', { delay: KEY_MS })
    }
    for (const view of ['Unassigned', 'All']) {
      await page.getByRole('button', { name: /change the view$/ }).click()
      await page.getByRole('menuitemradio', { name: new RegExp(`^${view}\\b`) }).click()
    }
  }
  return opened_ms
}

/** The list, the thread and the panel of the ticket in the address. */
async function isRestored(page: Page): Promise<void> {
  await page.locator('.connection.live').waitFor()
  await page.locator('.inbox-row').first().waitFor()
  await page.locator('.inbox-message').first().waitFor()
  await page.getByLabel('Details').last().waitFor()
}

/** The share of time in which the main thread of a page works. */
async function busyShare(page: Page, ms: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const taskSeconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const before = await taskSeconds()
  await pause(ms)
  return ((await taskSeconds()) - before) / (ms / 1000)
}
