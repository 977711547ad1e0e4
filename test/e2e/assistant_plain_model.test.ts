/** A model that reads texts alone is told of files, and asked to say that it could not read them. */
import t from 'tap'
import { simulatedModel } from '../../http/app/demo/models.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

const world = await startWorld(t, {
  models: (url) => [{ ...simulatedModel('simulated', url), reads: ['text'], transcription: null }],
})
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant)

const FILES: [type: string, fields: object, marked: RegExp][] = [
  ['image', { caption: 'Is it broken?' }, /Is it broken\?.*image\/\w+: you cannot read it/s],
  ['audio', { voice: true }, /audio\/ogg: you cannot read it/],
  [
    'document',
    { filename: 'bill.pdf', mime_type: 'application/pdf' },
    /bill\.pdf.*application\/pdf: you cannot read it/s,
  ],
]

for (const [type, fields, marked] of FILES) {
  t.test(`a file of the type ${type} is named, and nothing of it is sent`, async (t) => {
    const phone = newPerson()
    await tenant.writes(phone, { type, [type]: fields })
    await desk.script(phone, { answer: 'I cannot open files. What is it about?' })
    await desk.says(phone, `Can you look at it? ${phone}`)
    t.match(await desk.answered(phone), [{ message: { body: 'I cannot open files. What is it about?' } }])
    const [call] = await desk.calls(phone)
    const question = JSON.stringify(call!.body.messages.slice(1))
    t.match(question, marked)
    t.notMatch(question, /image_url|input_audio|"file"/)
    t.equal(
      (await made(world.model('GET', 'calls'))).data.filter(
        ({ operation }: { operation: string }) => operation === 'transcription',
      ).length,
      0,
    )
  })
}
