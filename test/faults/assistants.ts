/** Random bursts to an assistant on two nodes, one of which is killed, stopped and ended meanwhile. */
import { type HistoriesResult, playHistories } from '../e2e/play_histories.ts'
import type { Owner } from '../support/mod.ts'

export async function runAssistants(histories: number): Promise<HistoriesResult> {
  const undos: (() => unknown)[] = []
  const t: Owner = { teardown: (undo) => undos.push(undo) }
  try {
    return await playHistories(t, histories)
  } finally {
    for (const undo of undos.reverse()) await Promise.resolve(undo()).catch(() => {})
  }
}
