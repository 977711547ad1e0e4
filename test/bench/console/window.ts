/** The pages of an agent in Chromium, with what is measured in them. */
import { gzipSync } from 'node:zlib'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../console/chromium.ts'

/**
 * Runs in the page before its own code. An interaction lasts from the time that the browser gave its event until the
 * first paint after its handlers.
 */
const RECORDER = `(() => {
  globalThis.measured = { interactions: [], first_view_ms: undefined }
  const { port1, port2 } = new MessageChannel()
  let begun = []
  port1.onmessage = () => {
    const now = performance.now()
    for (const { type, at } of begun) measured.interactions.push({ type, ms: now - at })
    begun = []
  }
  for (const type of ['click', 'keydown', 'wheel'])
    addEventListener(type, ({ timeStamp }) => {
      requestAnimationFrame(() => {
        begun.push({ type, at: timeStamp })
        port2.postMessage(0)
      })
    }, { capture: true, passive: true })
  const look = () => {
    if (document.querySelector('.inbox-row')) measured.first_view_ms = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

export async function launch(): Promise<Browser> {
  const { executablePath, env } = await findChromium()
  return chromium.launch({
    executablePath,
    env: { ...(process.env as Record<string, string>), ...env },
    args: ['--no-sandbox', '--headless=new'],
  })
}

/** `asked`: requests and connections since the page was loaded last, without its own files. `messages`: those told live. */
export type Tab = { page: Page; asked: string[]; messages: Set<string>; scripts: Map<string, Buffer> }

export async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage()
  const tab: Tab = { page, asked: [], messages: new Set(), scripts: new Map() }
  await page.addInitScript(RECORDER)
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.isNavigationRequest()) tab.asked.length = 0
    else if (!/^\/console\/(?:files|boot)/.test(pathname)) tab.asked.push(pathname)
  })
  page.on('response', async (response) => {
    if (!response.url().endsWith('.js')) return
    const body = await response.body().catch(() => undefined)
    if (body) tab.scripts.set(response.url(), body)
  })
  page.on('websocket', (socket) => {
    tab.asked.push(new URL(socket.url()).pathname)
    socket.on('framereceived', ({ payload }) => hear(tab, String(payload)))
  })
  return tab
}

function hear({ messages }: Tab, packet: string): void {
  if (!packet.startsWith('42["live"')) return
  const [, { events }] = JSON.parse(packet.slice(2))
  for (const { type, data } of events) if (type === 'message.created') messages.add(data.id)
}

/** KB of the scripts that the page names for its first view, and of all that it loads at once, compressed by gzip. */
export async function scriptSizes({ page, scripts }: Tab): Promise<{ first_kb: number; all_kb: number }> {
  const named = await page.evaluate<string[]>(
    `[...document.querySelectorAll('link[rel=modulepreload]')].map(({ href }) => href)`,
  )
  const sizes = [...scripts].map(([url, body]) => ({ is_first: named.includes(url), bytes: gzipSync(body).length }))
  const sum = (list: typeof sizes) => list.reduce((all, { bytes }) => all + bytes, 0) / 1000
  return { first_kb: sum(sizes.filter(({ is_first }) => is_first)), all_kb: sum(sizes) }
}
