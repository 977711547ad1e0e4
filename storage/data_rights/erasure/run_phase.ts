import type { BlobStore } from '../../blobs/blob_store.ts'
import type { Database } from '../../database/database.ts'
import type { DataErasure } from '../../entities/data_rights/data_erasure.ts'
import { sql } from '../../sql/sql.ts'
import { subjectOf } from './parts.ts'
import { type Asked, erasurePhases, type Phase } from './phases.ts'
import { batchContext, type Progress } from './transaction.ts'

/**
 * A project to ask. `contacts` is empty when all of the project is erased. `told`: addresses of its actors, which the
 * project asks behind its earlier messages to them.
 */
export type AskedProject = { project_id: string; contacts: string[]; told: string[] }

/** Actors to ask, and addresses of others that are asked directly. */
export type AskedActors = { projects: AskedProject[]; others: string[] }

/** `next_phase`: the phase after this one; undefined while this one goes on. */
export type PhaseResult = { next_phase?: number | undefined; waits?: string | undefined } | { asks: AskedActors }

type Row = Pick<DataErasure, '_id' | 'kind' | 'subject_id' | 'company_id' | 'project_id' | 'phase'>

/** True when no phase is left. */
export function isErased({ kind, phase }: Pick<DataErasure, 'kind' | 'phase'>): boolean {
  return phase >= erasurePhases[kind].length
}

/** The name of the phase under way, for people. */
export function phaseName({ kind, phase }: Pick<DataErasure, 'kind' | 'phase'>): string | null {
  return erasurePhases[kind][phase]?.name ?? null
}

/**
 * Does one batch of the phase, or finds the actors that it asks.
 * @throws {ErasureMoved} when the erasure is no longer in this phase
 */
export async function runPhase(database: Database, blobs: BlobStore, row: Row): Promise<PhaseResult> {
  const phases: readonly Phase[] = erasurePhases[row.kind]
  const phase = phases[row.phase]!
  if (phase.asks) return { asks: await askedActors(database, row, phase.asks) }
  const { cursor, waits, back_to }: Progress = await phase.batch(await batchContext(database, blobs, row))
  if (back_to !== undefined) return { next_phase: phases.findIndex(({ name }) => name === back_to) }
  return cursor === null ? { next_phase: row.phase + 1 } : { waits }
}

const UNFINISHED = sql`status in ('queued', 'sending')`

async function askedActors(database: Database, row: Row, asked: Asked): Promise<AskedActors> {
  const { kind, subject_id } = row
  const addressesOf = async (actor: 'channel' | 'subscription' | 'broadcast', projects: string[]) => {
    const rows = actor === 'broadcast' ? sql`broadcast where ${UNFINISHED} and` : sql`${sql.id(actor)} where`
    const id = actor === 'channel' ? sql`_id` : sql`id`
    const found = await database.execute<{ address: string }>(
      sql`select ${`${actor}/`} || ${id} as address from ${rows} project_id = any (${projects})`,
    )
    return found.map(({ address }) => address)
  }
  if (kind === 'project') {
    const kinds = ['channel', 'subscription', 'broadcast'] as const
    const addresses = (await Promise.all(kinds.map((actor) => addressesOf(actor, [subject_id])))).flat()
    const told = [...addresses, `test_runs/${subject_id}`]
    return { projects: [{ project_id: subject_id, contacts: [], told }], others: [] }
  }
  if (asked !== 'projects') {
    const { projects } = await subjectOf(database, row)
    return { projects: [], others: await addressesOf(asked === 'broadcasts' ? 'broadcast' : 'subscription', projects) }
  }
  const found = await database.execute<{ project_id: string; contacts: string[] }>(sql`
    select project_id, array_agg(value) as contacts from data_erasure_part
    where erasure_id = ${row._id} and kind = 'contact' group by project_id`)
  const projects: AskedProject[] = []
  for (const one of found) {
    const told = [...(await addressesOf('channel', [one.project_id])), `test_runs/${one.project_id}`]
    projects.push({ ...one, told })
  }
  return { projects, others: [] }
}
