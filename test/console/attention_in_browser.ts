/** What tells an agent that somebody wrote, wherever the agent is; and texts that are written from the right. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, simulator, signIn } = agent
const at = (place: string) => `${demo.base_url}/console#/projects/${demo.project_id}/${place}`
const phone = (n: number) => `1555420${String(n).padStart(4, '0')}`
const writes = (n: number, name: string, body: string) =>
  simulator('inbound', { channel: 'whatsapp', from: phone(n), name, message: { type: 'text', text: { body } } })
const ticketOf = (n: number) =>
  eventually('the ticket', async (): Promise<Json> => {
    const [contact] = (await api('GET', `contacts?phone=%2B${phone(n)}`)).data
    return contact && (await api('GET', `crm/tickets?chat_user=${contact._id}`)).data[0]
  })
const icon = () => page.evaluate<string>(`document.querySelector('link[rel=icon]').href`)
const tones = () => page.evaluate<number>('globalThis.tones')

// Tones are counted in place of being heard.
await page.addInitScript(`
  globalThis.tones = 0
  const { start } = OscillatorNode.prototype
  OscillatorNode.prototype.start = function (...all) {
    globalThis.tones++
    return start.apply(this, all)
  }`)
await page.goto(at('inbox'))
await signIn()
await page.locator('.connection.live').waitFor()

t.test('whoever is on another page sees in the title, the icon and the navigation that somebody wrote', async (t) => {
  await page.goto(at('board'))
  await page.locator('h1').waitFor({ state: 'attached' })
  await eventually('the title', async () => /^[^(].*– Parley$/.test(await page.title()))
  t.match(await icon(), /\/icon\.svg$/)
  await writes(1, 'Ana Torres', 'Hello')
  await page.getByRole('link', { name: /Inbox 1 unread/ }).waitFor()
  t.match(await page.title(), /^\(1\) .+ – Parley$/)
  t.match(await icon(), /\/icon_unread\.svg$/)
  t.same(await inspect('unread-elsewhere'), [])
  await page.goto(at(`inbox/all/${(await ticketOf(1))._id}`))
  await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  t.match(await page.title(), /^Ana Torres – Parley$/)
  t.match(await icon(), /\/icon\.svg$/)
})

t.test('the sound needs no notifications, and is silent about the ticket in view', async (t) => {
  await page.keyboard.press('Control+,')
  const sound = page.getByRole('switch', { name: 'Sound' })
  await sound.click()
  t.equal(await tones(), 1, 'a sample')
  t.same(await inspect('settings-sound'), [])
  await page.keyboard.press('Escape')
  await writes(1, 'Ana Torres', 'In view')
  await page.locator('.inbox-bubble', { hasText: 'In view' }).waitFor()
  t.equal(await tones(), 1)
  await writes(2, 'Luis Gómez', 'Elsewhere')
  await eventually('a tone', async () => (await tones()) === 2)
})

/** Short enough for one line. */
const ARABIC = 'مرحبا A-1042؟ شكرا.'
/** The left edges of two pieces of a text, where it is drawn. */
const edges = (selector: string, first: string, last: string) =>
  page
    .locator(selector, { hasText: first })
    .first()
    .evaluate(
      (element: Json, [first, last]: string[]) => {
        const { document } = globalThis as Json
        const walker = document.createTreeWalker(element, 4)
        const edgeOf = (piece = '') => {
          walker.currentNode = element
          while (walker.nextNode()) {
            const from = walker.currentNode.data.indexOf(piece)
            if (from < 0) continue
            const range = document.createRange()
            range.setStart(walker.currentNode, from)
            range.setEnd(walker.currentNode, from + piece.length)
            return range.getBoundingClientRect().left
          }
          throw new Error(piece)
        }
        return [edgeOf(first), edgeOf(last)]
      },
      [first, last],
    )

t.test(
  'a text that is written from the right is shown from the right: in the list, the thread, the field',
  async (t) => {
    await writes(3, 'ليلى', ARABIC)
    await page.goto(at(`inbox/all/${(await ticketOf(3))._id}`))
    for (const selector of ['.inbox-bubble .inbox-text', '.inbox-words']) {
      await page.locator(selector, { hasText: 'A-1042' }).first().waitFor()
      for (const [first, last] of [
        ['مرحبا', 'A-1042'],
        ['A-1042', 'شكرا'],
        ['شكرا', '.'],
      ] as const) {
        const [right, left] = (await edges(selector, first, last)) as [number, number]
        t.ok(left < right, `${last} is left of ${first} in ${selector}`)
      }
    }
    const field = page.getByRole('textbox', { name: 'Reply' })
    await field.fill(ARABIC)
    t.equal(
      await field.evaluate((element: Json) => (globalThis as Json).getComputedStyle(element).unicodeBidi),
      'plaintext',
    )
    t.same(await inspect('from-the-right'), [])
  },
)

t.test('keys of one letter can be turned off, those with Ctrl remain', async (t) => {
  const turn = async () => {
    await page.keyboard.press('Control+,')
    await page.getByRole('switch', { name: 'Keys of one letter' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('.inbox-entries').focus()
  }
  await turn()
  const before = page.url()
  for (const key of ['j', 'k', 'u', 'g', 'b', '?']) await page.keyboard.press(key)
  t.equal(page.url(), before)
  t.equal(await page.getByRole('dialog').count(), 0)
  await turn()
  await page.keyboard.press('u')
  await eventually('the list', async () => page.url().endsWith('/inbox/all'))
})

t.test('Tab goes through one row of the list, and the arrows through all', async (t) => {
  const rows = page.locator('.inbox-link')
  const focused = () => page.evaluate<string>('document.activeElement.id')
  const ids = await rows.evaluateAll((all: Json[]) => all.map(({ id }): string => id))
  t.ok(ids.length >= 3)
  await rows.first().focus()
  await page.keyboard.press('ArrowDown')
  await eventually('the next row', async () => (await focused()) === ids[1])
  await page.keyboard.press('Tab')
  t.notOk(ids.includes(await focused()))
  await page.keyboard.press('Shift+Tab')
  t.equal(await focused(), ids[1])
})

t.test('files that are dropped beside a field do not take the place of the console', async (t) => {
  const is_refused = await page.evaluate<boolean>(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'x.txt'))
    const options = { dataTransfer, bubbles: true, cancelable: true }
    const list = document.querySelector('.inbox-list')
    return ['dragover', 'drop'].every((type) => !list.dispatchEvent(new DragEvent(type, options)))
  })()`)
  t.ok(is_refused)
  t.same(faults, [])
})
