/** A person is erased while an assistant thinks about what the person wrote: nothing of the turn stays. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)

const replies: [string, Json][] = [
  ['an answer', { answer: 'Dear secret person.', delay_ms: 4000 }],
  [
    'a call of a tool',
    { tool_calls: [{ name: 'no_such_tool', arguments: { of: 'a secret person' } }], delay_ms: 4000 },
  ],
]
for (const [name, reply] of replies) {
  t.test(`${name} comes after the erasure`, async (t) => {
    const tenant = await makeTenant(world)
    const desk = await openDesk(world, tenant)
    const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
    t.teardown(() => database.close())
    const phone = newPerson()
    await desk.script(`erased ${phone}`, reply)
    await desk.says(phone, `erased ${phone}`)
    await eventually('the model thinks', async () => (await desk.calls(`erased ${phone}`)).length > 0)
    const contact = (await desk.contactOf(phone))!
    const ticket = await desk.ticketOf(phone)
    const erasure = { kind: 'contact', id: contact._id, confirm: true }
    const { _id } = await made(world.operator('POST', 'erasures', erasure))
    await eventually('the contact is erased', async () => {
      return (await world.operator('GET', `erasures/${_id}`)).body.status === 'done'
    })
    const count = async () => {
      const [row] = await database.execute<{ states: number; turns: number }>(`
        select (select count(*)::int from actor_state where address = 'conversation/${ticket._id}'
            and (state::text like '%secret%' or state->>'phase' in ('thinking', 'using_tools', 'deciding'))) as states,
          (select count(*)::int from assistant_turn where ticket_id = '${ticket._id}') as turns`)
      return row!
    }
    // The actor may have written since; it has the outcome when the model was asked for more or its state is at rest.
    await new Promise((resolve) => setTimeout(resolve, 6000))
    await eventually(
      'nothing of the turn is stored',
      async () => {
        const { states, turns } = await count()
        return states === 0 && turns === 0
      },
      20_000,
    )
    t.equal((await desk.calls(`erased ${phone}`)).length, 1, 'the model is not asked about it again')
    t.same(await desk.turns(), [])
  })
}
