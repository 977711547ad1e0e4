/** The account of a visitor's page about its browser is stored with the contact, within bounds. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { browserStorage } from './browser_storage.ts'
import { connectWeb, type Visitor, visitPage } from './visitor_page.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { base_url } = world
const channel = await connectWeb(world, tenant)
const user_agent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
const visit = (t: Parameters<typeof visitPage>[0], headers: Record<string, string> = { 'user-agent': user_agent }) =>
  visitPage(t, { base_url, channel, headers })
const contactOf = async ({ user_id }: Visitor) => (await tenant.api('GET', `contacts?search=${user_id}`)).body.data[0]
const shop = 'https://shop.example.com/shoes?size=42'

t.test('a contact has the page of the last message and the browser, and its event has them too', async (t) => {
  const hook = await tenant.subscribe('browsers', ['crm.contact.created', 'crm.contact.updated'])
  const visitor = await visit(t)
  visitor.socket.emit('browser', { page_url: shop, referrer: 'https://search.example.com/', language: 'es-MX' })
  await visitor.write('Hello')
  const browser = { page_url: shop, referrer: 'https://search.example.com/', language: 'es-MX', user_agent }
  const contact = await contactOf(visitor)
  t.same(contact.browser, browser)
  t.same((await made(tenant.api('GET', `contacts/${contact._id}`))).browser, browser)
  await visitor.write('Are you there?')
  const cart = { ...browser, page_url: 'https://shop.example.com/cart', referrer: null }
  visitor.socket.emit('browser', { page_url: cart.page_url, referrer: '', language: 'es-MX' })
  await visitor.write('I am in the cart')
  t.same((await contactOf(visitor)).browser, cart)
  const told = await eventually('the events', async () => {
    const all = await tenant.deliveries(hook.id)
    return all.length >= 2 && all
  })
  const events = await Promise.all(told.map(({ event_id }: Json) => made(tenant.api('GET', `events/${event_id}`))))
  t.same(
    events.map(({ type, data }: Json) => [type, data.browser.page_url]).sort(),
    [
      ['crm.contact.created', shop],
      ['crm.contact.updated', cart.page_url],
    ],
    'a message from the same page is no change',
  )
})

t.test('a page that says nothing has what its request says', async (t) => {
  const visitor = await visit(t)
  await visitor.write('Hello')
  t.same((await contactOf(visitor)).browser, { page_url: null, referrer: null, language: null, user_agent })
  const silent = await visit(t, {})
  await silent.write('Hello')
  t.equal((await contactOf(silent)).browser, null)
})

t.test('the chat says with each message where the visitor is', async (t) => {
  const pages = join(import.meta.dirname, '../../http/visitors/page')
  const { Conversation } = await import(join(pages, 'conversation/conversation.ts'))
  const { Memory } = await import(join(pages, 'messages/memory.ts'))
  const now = { page_url: '', referrer: '', language: 'es-MX' }
  const on = { changed() {}, browser: () => now }
  const chat = new Conversation(new URL(`${base_url}/`), channel, new Memory('chat', browserStorage()), on)
  t.teardown(() => chat.close())
  chat.open()
  for (const page_url of ['https://shop.example.com/hats', 'https://shop.example.com/gloves']) {
    now.page_url = page_url
    chat.say({ type: 'text', body: page_url }, { type: 'text', body: page_url })
    await eventually('it is sent', () => chat.messages.every(({ pending }: Json) => !pending))
    const { body } = await tenant.api('GET', 'contacts?limit=200')
    const said = body.data.filter(({ browser }: Json) => browser?.page_url === page_url)
    t.match(said, [{ browser: { referrer: null, language: 'es-MX' } }])
    t.equal(said.length, 1)
  }
})

const nothing = { page_url: null, referrer: null, language: null }
const long = (characters: number) => `https://shop.example.com/${'a'.repeat(characters)}`.slice(0, characters)
const cases: [string, unknown, object][] = [
  ['no object', 'https://shop.example.com', nothing],
  ['a list', [shop], nothing],
  ['numbers', { page_url: 1, referrer: 2, language: 3 }, nothing],
  ['a script', { page_url: 'javascript:alert(1)', referrer: 'data:text/html,x' }, nothing],
  ['no host', { page_url: 'https:///' }, nothing],
  ['the longest page', { page_url: long(2048) }, { ...nothing, page_url: long(2048) }],
  ['a longer page', { page_url: long(2049), referrer: long(2049) }, nothing],
  ['a long host', { page_url: `https://${'a.'.repeat(8000)}`, language: 'en' }, { ...nothing, language: 'en' }],
  ['a language that is a sentence', { language: 'en; drop' }, nothing],
  ['a long language', { language: 'a'.repeat(36) }, nothing],
  ['a NUL', { page_url: 'https://a.example/\0' }, { ...nothing, page_url: 'https://a.example/\ufffd' }],
]
t.test('values of another form are left out, and the message is stored', async (t) => {
  for (const [what, said, expected] of cases) {
    const visitor = await visit(t)
    visitor.socket.emit('browser', said)
    t.match(await visitor.write(what), { ref: String }, what)
    t.same((await contactOf(visitor)).browser, { ...expected, user_agent }, what)
    visitor.socket.disconnect()
  }
  const visitor = await visit(t, { 'user-agent': 'x'.repeat(2000) })
  await visitor.write('Hello')
  t.equal((await contactOf(visitor)).browser.user_agent, 'x'.repeat(512))
})

t.test('the console says in words which browser it is', async (t) => {
  const words = join(import.meta.dirname, '../../http/console/page/crm/record/browser_words.ts')
  const { addressText, browserText, languageText } = await import(words)
  const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
  const agents: [string, string][] = [
    [user_agent, 'Chrome 131 on Windows'],
    [`${user_agent} Edg/131.0.0.0`, 'Edge 131 on Windows'],
    [`${user_agent} OPR/115.0.0.0`, 'Opera 115 on Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox 133 on Linux'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/18.1 Safari/605.1.15`, 'Safari 18 on macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${apple} Version/18.1 Mobile/15E148 Safari/604.1`,
      'Safari 18 on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
      'Samsung Internet 27 on Android',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
  ]
  for (const [agent, text] of agents) t.equal(browserText(agent), text)
  t.equal(languageText('es-MX'), 'Mexican Spanish')
  t.equal(languageText('--'), '--', 'what names no language')
  t.equal(addressText('https://shop.example.com/'), 'shop.example.com')
  t.equal(addressText(shop), 'shop.example.com/shoes?size=42')
})
