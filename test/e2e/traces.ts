/** Searches everything that Parley stores for pieces of text: all tables, all files and the broker's streams. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Database } from '../../storage/mod.ts'
import type { World } from './fixture.ts'

/** Returns `table: row` for each row of any table that contains one of the texts, in any case. */
export async function rowsWith(database: Database, texts: string[]): Promise<string[]> {
  const tables = await database.execute<{ name: string }>(`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition order by 1`)
  const found: string[] = []
  for (const { name } of tables) {
    const hits = texts.map(() => 'position(lower(?) in lower(t::text)) > 0').join(' or ')
    const rows = await database.execute<{ row: string }>(`select t::text as row from "${name}" t where ${hits}`, texts)
    for (const { row } of rows) found.push(`${name}: ${row.slice(0, 500)}`)
  }
  return found
}

/** Returns the paths of files in the data directory that contain one of the texts. */
export function filesWith({ config }: World, texts: string[]): string[] {
  return ['blobs', 'uploads'].flatMap((name) => {
    const directory = join(config.data_dir, name)
    if (!existsSync(directory)) return []
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => contains(readFileSync(path, 'latin1'), texts))
  })
}

/**
 * Returns the messages in this Parley's streams that contain one of the texts, and the names of streams that keep
 * messages on a disk or for longer than five minutes.
 */
export async function streamsWith(
  { config }: World,
  texts: string[],
): Promise<{ messages: string[]; lasting: string[] }> {
  const nats = await connect({ servers: config.nats_url!, ...(tokenOf(config.nats_url!) as object) })
  const messages: string[] = []
  const lasting: string[] = []
  try {
    const manager = await jetstreamManager(nats)
    for await (const { config: stream, state } of manager.streams.list()) {
      if (!stream.name.startsWith(config.nats_prefix)) continue
      if (stream.storage !== 'memory' || stream.max_age === 0 || stream.max_age > 300e9) lasting.push(stream.name)
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const message = await manager.streams.getMessage(stream.name, { seq }).catch(() => null)
        const text = message ? new TextDecoder().decode(message.data) : ''
        if (contains(text, texts)) messages.push(`${stream.name}: ${text.slice(0, 300)}`)
      }
    }
  } finally {
    await nats.close()
  }
  return { messages, lasting }
}

function tokenOf(url: string): { token?: string } {
  const { username } = new URL(url)
  return username ? { token: username } : {}
}

function contains(text: string, texts: string[]): boolean {
  const lower = text.toLowerCase()
  return texts.some((one) => lower.includes(one.toLowerCase()))
}
