import { Assistant, AssistantTurn, countAnswers, readRows } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'

/** Assistants by their ids. */
export const assistantReads: ReadKind<Set<string>, Map<string, Assistant>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    for (const row of await readRows(database, Assistant, { project_id, _id: [...ids] })) found.set(row._id, row)
  },
}

/** The turns that have ended, of those that are asked for, and those that end in this turn of the project. */
export const endedReads: ReadKind<Set<string>, Set<string>> = {
  keys: () => new Set(),
  found: () => new Set(),
  async read(found, ids, { database, state: { project_id } }) {
    if (ids.size === 0) return
    for (const { _id, ended_at } of await readRows(database, AssistantTurn, { project_id, _id: [...ids] }))
      if (ended_at) found.add(_id)
  },
}

const HOUR_MS = 3_600_000

/** The number of answers that contacts got in the last hour, by contact. Answers of this turn are added. */
export const answerReads: ReadKind<Set<string>, Map<string, number>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, chat_users, { database, now, state: { project_id } }) {
    const since = new Date(now.getTime() - HOUR_MS)
    for (const [id, count] of await countAnswers(database, project_id, [...chat_users], since)) found.set(id, count)
  },
}
