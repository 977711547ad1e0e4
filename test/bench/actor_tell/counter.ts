import { assign, setup, transition } from 'xstate'
import { defineActor } from '../../../runtime/mod.ts'

type Add = { id: number; event: { type: string } }
type Count = { count: number }

/** The life of a counter. A real machine, so that its cost is part of the figure. */
const machine = setup({ types: { context: {} as Count, events: {} as { type: 'add' } } }).createMachine({
  initial: 'counting',
  context: { count: 0 },
  states: { counting: { on: { add: { actions: assign({ count: ({ context }) => context.count + 1 }) } } } },
})

/** A durable counter. `committed` gets the id of every message when the turn that counted it is committed. */
export function counterKind(committed: (id: number) => void) {
  return defineActor<{ add: { message: Add; reply: undefined } }, Count>({
    kind: 'counter',
    create: () => ({ count: 0 }),
    receive: {
      add(turn, { id }) {
        const snapshot = machine.resolveState({ value: 'counting', context: turn.state })
        turn.state = transition(machine, snapshot, { type: 'add' })[0].context
        turn.save()
        turn.after(() => committed(id))
      },
    },
  })
}
