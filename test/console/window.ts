/** A window of a browser as tests look at it: its errors, the findings of a screen-reader check, and pictures. */
import { join } from 'node:path'
import axe from 'axe-core'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Owner } from '../support/mod.ts'
import type { Chromium } from './chromium.ts'

const SERIOUS = ['serious', 'critical']
export const ANY_IMPACT = [...SERIOUS, 'moderate', 'minor']
const SCHEMES = ['light', 'dark'] as const
/** Failures that pages are meant to meet now and then. Browsers log them as errors. */
const EXPECTED = /Failed to load resource|WebSocket connection to .* failed|net::ERR_INTERNET_DISCONNECTED/

/** Longer than anything takes: the machine may be busy with many tests. */
const PATIENCE_MS = 120_000
/** The looks of a new window. */
const SHAPE = { viewport: { width: 1280, height: 800 }, locale: 'en-GB' }

export type Window = {
  context: BrowserContext
  page: Page
  /** The faults in pages so far: errors, and refusals of the browser. */
  faults: string[]
  /** Opens a page of another person, who shares no cookie and no storage with this one. */
  openOther(): Promise<Page>
  /** Returns the findings of axe in the page, in both color schemes, and takes a picture of each. */
  inspect(name: string, impacts?: readonly string[]): Promise<string[]>
}

/** `shape`: what differs from the usual shape. */
export async function openWindow(t: Owner, shape: BrowserContextOptions = {}): Promise<Window> {
  const { executablePath, env } = JSON.parse(process.env.PARLEY_TEST_CHROMIUM!) as Chromium
  const pictures = process.env.PARLEY_TEST_PICTURES!
  const browser = await chromium.launch({
    executablePath,
    env: { ...(process.env as Record<string, string>), ...env },
    args: ['--no-sandbox', '--headless=new'],
  })
  t.teardown(() => browser.close())
  const faults: string[] = []
  const context = await browser.newContext({ ...SHAPE, ...shape })
  const page = await openPage(context, faults)
  return {
    context,
    page,
    faults,
    openOther: async () => openPage(await browser.newContext(SHAPE), faults),
    async inspect(name, impacts = SERIOUS) {
      const found: string[] = []
      for (const colorScheme of SCHEMES) {
        // Without reduced motion, axe and the picture would catch elements on their way.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.evaluate(axe.source)
        const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run(document)')
        const counted = violations.filter(({ impact }) => impacts.includes(impact))
        found.push(...counted.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id} ${nodes[0]?.html}`))
        await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) })
      }
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' })
      return found
    },
  }
}

async function openPage(context: BrowserContext, faults: string[]): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
  page.on('console', (said) => {
    if (['error', 'warning'].includes(said.type()) && !EXPECTED.test(said.text())) faults.push(said.text())
  })
  return page
}

type Violation = { id: string; impact: string; nodes: { html: string }[] }
