import { type EraseMessage, type ErasureAsk, tellSettled } from '../../data_rights/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { missingProject } from '../turn/state.ts'

/** `told`: the addresses of the project's channels, subscriptions and unfinished broadcasts. */
export type EraseProject = ErasureAsk & { told: string[] }

/**
 * From an erasure: the project is gone from this turn on. Its tokens and channels count as unknown; loading it again
 * finds the erasure (`turn/state.ts`). Its rows are deleted afterwards.
 */
export const eraseProject: Receiver<EraseProject> = {
  receive(turn, { told, reply_to, round }) {
    const ask = { reply_to, round }
    turn.state = missingProject(turn.key)
    for (const timer of ['templates', 'knowledge_imports', 'bulk_actions']) turn.cancel(timer)
    turn.awake(false)
    turn.dropLive(turn.key)
    const message: { type: string } & EraseMessage = { type: 'erase', ...ask, all: true, contacts: [] }
    for (const address of told) turn.tell(address, message)
    tellSettled(turn, ask)
  },
}
