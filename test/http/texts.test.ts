/** The length limits of texts count characters, whatever the characters are made of. */
import t from 'tap'
import * as v from 'valibot'
import { maxCharacters, minCharacters } from '../../actors/mod.ts'
import { hasAtLeast, hasAtMost } from '../../actors/values/characters.ts'
import { startTestServer } from './test_server.ts'

t.test('characters are counted, not UTF-16 units', (t) => {
  for (const character of ['a', 'é', '語', '💬']) {
    const text = character.repeat(10)
    t.ok(hasAtMost(text, 10) && hasAtLeast(text, 10), character)
    t.notOk(hasAtMost(text, 9) || hasAtLeast(text, 11), character)
  }
  const short = v.pipe(v.string(), minCharacters(2), maxCharacters(3, 'is too long'))
  t.equal(v.is(short, '💬💬💬'), true)
  t.equal(v.is(short, '💬'), false)
  t.equal(v.safeParse(short, '💬💬💬💬').issues?.[0].message, 'is too long')
  t.end()
})

t.test('a text far beyond its bound is not read through', (t) => {
  let read = 0
  const text = Object.assign(new String('💬'.repeat(1000)), {
    *[Symbol.iterator]() {
      for (; read < 1000; read++) yield '💬'
    },
  }) as unknown as string
  t.notOk(hasAtMost(text, 999 / 2))
  t.ok(hasAtLeast(text, 10))
  t.ok(hasAtMost(text, 2000))
  t.equal(read, 0)
  t.ok(hasAtMost(text, 1000))
  t.equal(read, 1000)
  t.end()
})

t.test('messages may have as many characters outside the first plane as others', async (t) => {
  const { call } = await startTestServer(t)
  const send = (message: object) =>
    call('/v1/messages', { method: 'POST', json: { channel: 'whatsapp', to: '+5215512345678', message } })
  const text = (length: number) => '💬'.repeat(length)
  t.equal((await send({ type: 'text', body: text(4096) })).status, 202)
  t.equal((await send({ type: 'text', body: text(4097) })).status, 400)
  const button = { id: text(256), title: text(20) }
  const buttons = { type: 'buttons', body_text: text(1024), footer_text: text(60), buttons: [button] }
  t.equal((await send(buttons)).status, 202)
  const long = await send({ ...buttons, body_text: text(1025), buttons: [{ id: text(257), title: text(21) }] })
  t.strictSame(
    long.body.error.details.violations.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [
      ['message.body_text', 'too_long'],
      ['message.buttons.0.id', 'too_long'],
      ['message.buttons.0.title', 'too_long'],
    ],
  )
})
