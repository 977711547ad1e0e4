/**
 * An actor that makes a call which must not be cut short. The call waits for `gate` and notes its progress in `seen`.
 */
import { defineActor } from '../../../runtime/mod.ts'

type Caller = {
  call: { message: object; reply: null }
  called: { message: object; reply: undefined }
  throw: { message: object; reply: never }
  wake: { message: object; reply: undefined }
  read: { message: object; reply: number }
}

export function callerOf(gate: Promise<void>, seen: string[]) {
  return defineActor<Caller, { results: number }>({
    kind: 'caller',
    create: () => ({ results: 0 }),
    receive: {
      call(turn) {
        turn.save()
        const run = async (signal: AbortSignal) => {
          seen.push('begun')
          await gate
          seen.push(signal.aborted ? 'aborted' : 'ended')
          return { type: 'called' }
        }
        turn.work(run, { unbroken: true })
        return null
      },
      called(turn) {
        turn.state.results++
        turn.save()
      },
      throw() {
        throw new Error('a fault')
      },
      wake: () => undefined,
      read: (turn) => turn.state.results,
    },
  })
}
