/**
 * `npm run pictures`: makes the pictures of the documents anew, in docs/pictures. They are stored as WebP, which the
 * browser that takes them can write. `npm run pictures -- dashboard` makes those of one test alone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { root } from '../support/root.ts'
import { findChromium } from './chromium.ts'

/** The tests that take pictures: the names in docs/pictures, each with that of the screenshot. */
const TESTS: Record<string, Record<string, string>> = {
  'test/console/pictures_in_browser.ts': {
    inbox: 'inbox-light',
    inbox_dark: 'inbox-dark',
    inbox_phone: 'inbox-phone-light',
    board: 'board-light',
    appointments: 'appointments-light',
    knowledge: 'knowledge-light',
    assistants: 'assistants-light',
    broadcast: 'broadcast-light',
    webhooks: 'webhooks-light',
    operations: 'operations-light',
    web_chat: 'web-chat-light',
  },
  'test/monitoring/dashboard.long.test.ts': { dashboard: 'dashboard' },
}
/** Letters stay sharp, and a picture of a whole window has about 100 KB. */
const QUALITY = 0.9
/** The screenshots have two points for each of the page. */
const SCALE = 1.25 / 2

const wanted = process.argv[2]
const chosen = Object.entries(TESTS).filter(([, pictures]) => wanted === undefined || wanted in pictures)
const browser = await findChromium()
const taken = mkdtempSync(join(tmpdir(), 'parley-pictures-'))
try {
  const test = spawn(process.execPath, ['test/run/run_tests.ts', ...chosen.map(([file]) => file)], {
    cwd: root,
    env: { ...process.env, PARLEY_TEST_PICTURES: taken, PARLEY_TEST_CHROMIUM: JSON.stringify(browser) },
    stdio: 'inherit',
  })
  const [code] = await once(test, 'close')
  if (code === 0) await store()
  process.exitCode = code ?? 1
} finally {
  rmSync(taken, { recursive: true, force: true })
}

async function store(): Promise<void> {
  const directory = join(root, 'docs/pictures')
  mkdirSync(directory, { recursive: true })
  const window = await chromium.launch({
    executablePath: browser.executablePath,
    env: { ...(process.env as Record<string, string>), ...browser.env },
    args: ['--no-sandbox', '--headless=new'],
  })
  const page = await window.newPage()
  for (const [name, screenshot] of chosen.flatMap(([, pictures]) => Object.entries(pictures))) {
    const png = readFileSync(join(taken, `${screenshot}.png`)).toString('base64')
    const url = await page.evaluate<string>(`(async () => {
      const image = new Image()
      image.src = 'data:image/png;base64,${png}'
      await image.decode()
      const [width, height] = [image.width * ${SCALE}, image.height * ${SCALE}]
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const drawing = canvas.getContext('2d')
      drawing.imageSmoothingQuality = 'high'
      drawing.drawImage(image, 0, 0, width, height)
      return canvas.toDataURL('image/webp', ${QUALITY})
    })()`)
    const webp = Buffer.from(url.split(',')[1]!, 'base64')
    writeFileSync(join(directory, `${name}.webp`), webp)
    process.stdout.write(`docs/pictures/${name}.webp  ${Math.ceil(webp.length / 1024)} KiB\n`)
  }
  await window.close()
}
