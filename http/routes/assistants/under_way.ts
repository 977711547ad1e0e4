import { Unavailable } from '../../../runtime/mod.ts'
import { Shares } from '../../server/limits/fair_shares.ts'

/** Turns under way, on a node and of a project. Each has a conversation in memory. */
const UNDER_WAY = { all: 256, kinds: { project: 16 } }

/** Bounds the turns of models that requests wait for. */
export class UnderWay {
  readonly #shares = new Shares<'project'>(UNDER_WAY)

  /** @throws {Unavailable} when the project, or this node, has too many under way */
  async run<Result>(project: string, act: () => Promise<Result>): Promise<Result> {
    if (!this.#shares.take({ project }, 1)) throw new Unavailable('Too many replies of assistants are under way.')
    try {
      return await act()
    } finally {
      this.#shares.give({ project }, 1)
    }
  }
}
