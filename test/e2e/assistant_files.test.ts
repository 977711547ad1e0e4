/** Pictures and recordings of people are part of the question, also while they are still on their way from the provider. */
import t from 'tap'
import { sampleOf } from '../../http/simulator/sample_files.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant)

const lastOf = (call: Json): string => JSON.stringify(call.body.messages.findLast(({ role }: Json) => role === 'user'))

t.test('a picture reaches the model with the message', async (t) => {
  const phone = newPerson()
  const mark = `picture ${phone}`
  await desk.script(mark, { answer: 'It is scratched.' })
  await tenant.writes(phone, { type: 'image', image: { caption: `Is it broken? ${mark}` } })
  t.match(await desk.answered(phone), [{ message: { body: 'It is scratched.' } }])
  const [call] = await desk.calls(mark)
  t.match(lastOf(call!), /image_url/, 'as a part of the question')
  t.notMatch(lastOf(call!), /it is not here|cannot read it|could not be read/)
})

t.test('the words of a voice note reach the model, which hears them once', async (t) => {
  const phone = newPerson()
  const words = `where is my parcel ${phone}`
  await desk.script(
    words,
    { tool_calls: [{ name: 'no_such_tool', arguments: {} }] },
    { answer: 'It arrives tomorrow.' },
  )
  // The simulated model hears the words that stand in the file.
  const sound = Buffer.from(sampleOf('audio/ogg'), 'base64')
  const data = Buffer.concat([sound, Buffer.from(`\nSAYS: ${words}\n`)]).toString('base64')
  await tenant.writes(phone, { type: 'audio', audio: { voice: true, data, mime_type: 'audio/ogg' } })
  t.match(await desk.answered(phone), [{ message: { body: 'It arrives tomorrow.' } }])
  const calls = await desk.calls(words)
  t.equal(calls.length, 2, 'the second step knows the words, too')
  t.match(lastOf(calls[0]!), /as a machine heard them/)
})

t.test('a file that the provider does not give is named as missing', async (t) => {
  const phone = newPerson()
  const mark = `missing ${phone}`
  await desk.script(mark, { answer: 'I cannot open your picture.' })
  const match = { channel: 'whatsapp', operation: 'media' }
  await made(world.control('POST', 'faults', { match, error: { code: 100, status: 404 } }))
  t.teardown(() => world.control('DELETE', 'faults'))
  await tenant.writes(phone, { type: 'image', image: { caption: mark } })
  t.match(await desk.answered(phone), [{ message: { body: 'I cannot open your picture.' } }])
  const [call] = await desk.calls(mark)
  t.match(lastOf(call!), /it is not here, so you cannot read it/)
  t.notMatch(lastOf(call!), /image_url/)
})

t.test('an answer waits for a picture that takes a moment', async (t) => {
  const phone = newPerson()
  const mark = `slow ${phone}`
  await desk.script(mark, { answer: 'It is blue.' })
  const match = { channel: 'whatsapp', operation: 'media' }
  await made(world.control('POST', 'faults', { match, latency_ms: 2500, times: 1 }))
  await tenant.writes(phone, { type: 'image', image: { caption: mark } })
  await eventually('the answer is here', async () => (await desk.answersOf(phone)).length > 0)
  const [call] = await desk.calls(mark)
  t.match(lastOf(call!), /image_url/)
})
