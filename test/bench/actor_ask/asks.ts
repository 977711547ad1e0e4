/** The actor that answers the questions, and the ways to ask it. */
import { defineActor } from '../../../runtime/mod.ts'
import { payloadOf } from '../load/target.ts'

type Event = Record<string, unknown>
type Asked = { message: { event: Event }; reply: Event }

/**
 * The place of the actor, and the work of an answer. `peek` reads from memory without a turn, as the admission of a
 * read does; `turn` is a turn that changes nothing; `commit` is a turn that saves its message.
 */
export const askVariants = ['local peek', 'local turn', 'remote peek', 'remote turn', 'local commit', 'remote commit']

/** An actor that keeps an event of about 300 bytes and answers with it. Questions carry one too. */
export const keeper = defineActor<{ peek: Asked; turn: Asked; commit: Asked }, { event: Event }>({
  kind: 'keeper',
  create: () => ({ event: payloadOf(1) }),
  peek: { peek: ({ state }) => state.event },
  receive: {
    peek: (turn) => turn.state.event,
    turn: (turn) => turn.state.event,
    commit(turn, { event }) {
      turn.state = { event }
      turn.save()
      return turn.state.event
    },
  },
})
