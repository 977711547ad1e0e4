import t from 'tap'
import { receivers } from '../../../actors/project/features.ts'
import { missingProject } from '../../../actors/project/turn/state.ts'

t.test('a command of a later version is refused for a while, and fails no turn', (t) => {
  const turn = { state: { ...missingProject('project'), exists: true }, now: new Date() }
  const command = { type: 'of_the_next_version' }
  const reply = receivers.get('operate')!.receive(turn as never, { command } as never, {} as never)
  t.match(reply, { error: { code: 'SERVICE_UNAVAILABLE', message: /of_the_next_version/, retry_after: 1 } })
  t.end()
})
