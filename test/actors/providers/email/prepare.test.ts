import t from 'tap'
import { readCall } from '../../../../actors/providers/email/hook.ts'
import { HtmlReader } from '../../../../actors/providers/email/html_reader.ts'
import { prepareCall } from '../../../../actors/providers/email/prepare.ts'
import type { HookCall, InboundMessage } from '../../../../actors/providers/provider.ts'
import { signCall } from '../../../../actors/providers/signed_call.ts'
import { accountOf, SECRET } from './channel.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const reader = new HtmlReader()
const hasty = new HtmlReader({ limit_ms: 0 })
t.teardown(() => Promise.all([reader.close(), hasty.close()]))

const mail = { message_id: '<q1@example.com>', from: { address: 'ana@example.com' }, subject: 'Hi' }
const signed = (body: unknown, secret = SECRET): HookCall => {
  const raw = JSON.stringify(body)
  return { raw, signature: signCall(secret, raw, NOW) }
}
const prepare = (call: HookCall, by = reader) => prepareCall(call, async () => accountOf().credentials, NOW, by)
const messageIn = (call: HookCall) => (readCall(call, accountOf(), NOW).items[0] as InboundMessage).message

t.test('a mail of HTML alone gets a text, and keeps its HTML', async (t) => {
  const html =
    '<html><head><title>x</title><style>p{}</style></head><body><p>Hola &amp; adi&oacute;s</p>\n<script>evil()</script>' +
    '<div>one<br>two &#128075; &#x41; &#xD800;</div><img src=x alt=y><a href="https://x.test/a">here</a></body></html>'
  const { body, html: kept } = messageIn(await prepare(signed({ ...mail, text: '', html })))
  t.equal(body, 'Hola & adiós\n\none\ntwo 👋 A \ufffd\nhere [https://x.test/a]')
  t.equal(kept, html)
})

t.test('HTML beside a text of spaces is read', async (t) => {
  for (const text of ['\r\n', '\u00a0 \u200b'])
    t.equal(messageIn(await prepare(signed({ ...mail, text, html: '<p>Hello</p>' }))).body, 'Hello')
})

t.test('very long HTML is read up to its limit', async (t) => {
  const message = messageIn(await prepare(signed({ ...mail, html: '<p>word</p>'.repeat(50_000) })))
  t.match(message.body, /^word\n\nword[\s\S]*\n\[…\]$/)
  t.equal('html' in message, false)
})

t.test('HTML that cannot be read in time makes the mail unreadable', async (t) => {
  const html = '<b>'.repeat(40_000)
  t.match(messageIn(await prepare(signed({ ...mail, html }), hasty)), { unreadable: true, subject: 'Hi', html })
})

t.test('HTML of pictures alone has no text', async (t) => {
  const message = messageIn(await prepare(signed({ ...mail, html: '<img src=x>' })))
  t.equal(message.body, '')
  t.equal('unreadable' in message, false)
})

const unchanged: [string, HookCall][] = [
  ['a mail with text', signed({ ...mail, text: 'Hello', html: '<p>Hello</p>' })],
  ['a mail without HTML', signed({ ...mail, text: '' })],
  ['what came back', signed({ bounce: { message_id: 'x@y' }, html: '<p>' })],
  ['what is no mail', signed(['html', { html: 1 }])],
  ['a call without its proof', signed({ ...mail, html: '<p>Hello</p>' }, 'another secret of the hook')],
]

for (const [what, call] of unchanged) {
  t.test(`${what} goes on as it came`, async (t) => t.same(await prepare(call), call))
}

t.test('HTML for a channel without a secret is not read', async (t) => {
  const call = signed({ ...mail, html: '<p>' }, '')
  t.same(await prepareCall(call, async () => ({}), NOW, reader), call)
})

t.test('when too many mails wait, the next one is told to come again', async (t) => {
  const small = new HtmlReader()
  const reads = Array.from({ length: 60 }, (_, at) => small.read('<p>', `channel ${at % 10}`))
  const results = await Promise.allSettled(reads)
  t.match(
    results.find(({ status }) => status === 'rejected'),
    { reason: { name: 'Unavailable' } },
  )
  t.match(results[0], { status: 'fulfilled', value: '' })
  await small.close()
})

t.test('the mails of one channel keep no others out', async (t) => {
  const small = new HtmlReader()
  const flood = Promise.allSettled(Array.from({ length: 60 }, () => small.read('<b>'.repeat(2_000), 'flooded')))
  t.equal(await small.read('<p>word</p>', 'other'), 'word')
  t.match((await flood).at(-1), { status: 'rejected', reason: { name: 'Unavailable' } })
  t.equal(await small.read('<p>again</p>', 'flooded'), 'again')
  await small.close()
})
