/** Answers of PostgreSQL that do not reach a node, while it did what it was asked. */
import { sleep } from '../../parley/client.ts'
import { between } from '../chance.ts'
import type { ParleyNode } from '../node.ts'
import { anyOf, busyNode, commitMark, type Fault } from '../scene.ts'

const AWAITED_MS = 3000

/** From the next such commit on, its answer included. */
async function fromCommitOn(node: ParleyNode, mark: string, act: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    const forget = node.to_postgres.next(mark, () => {
      clearTimeout(late)
      act()
      resolve(true)
    })
    const late = setTimeout(() => {
      forget()
      act()
      resolve(false)
    }, AWAITED_MS)
  })
}

/** Each such commit happens, and its connection is reset instead of answering; all else passes. */
async function breakEach(node: ParleyNode, mark: string, ms: number): Promise<number> {
  let count = 0
  let forget = () => {}
  const again = () => {
    forget = node.to_postgres.next(mark, (line) => {
      count++
      line.loseAnswer()
      again()
    })
  }
  again()
  await sleep(ms)
  forget()
  return count
}

export const answers: Record<string, Fault> = {
  answers: {
    needs: (random) => ({ confirm_ms: random() < 0.5 ? between(random, 4000, 8000) : 15_000 }),
    async strike(scene) {
      const { random, workload } = scene
      const [node, mark] = [await busyNode(scene), commitMark(workload)]
      const how = anyOf(random, ['hold', 'lose', 'reset'] as const)
      // Within what a node waits for an answer, or far beyond.
      const ms = random() < 0.5 ? between(random, 300, 2500) : between(random, 1000, 30_000)
      const said = `${node.name} for ${ms} ms, confirm_ms ${node.build.waits.confirm_ms}`
      if (how === 'reset') {
        const short_ms = Math.min(ms, 5000)
        const count = await breakEach(node, mark, short_ms)
        return `reset ${count} commits with "${mark}" of ${node.name} within ${short_ms} ms`
      }
      const caught = await fromCommitOn(node, mark, () => node.to_postgres.answer(how))
      await sleep(ms)
      node.to_postgres.answer('pass')
      return `${how} those to ${said}${caught ? ` from a commit with "${mark}" on` : ''}`
    },
  },
}
