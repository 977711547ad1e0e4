/**
 * A Redis for one contestant. Its append-only file is synced once a second, as BullMQ's documentation asks: a crash of
 * the machine may lose that second. `always` syncs before each answer, as the other servers here do.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'
import { freePort, listens } from './ports.ts'
import { findTool } from './tools.ts'

/** Starts redis-server below `directory`. */
export async function startRedis(
  directory: string,
  appendfsync: 'everysec' | 'always' = 'everysec',
): Promise<{ child: Child; port: number }> {
  const command = findTool('redis-server', 'apt-get install redis-server')
  const dir = join(directory, 'redis')
  mkdirSync(dir, { recursive: true })
  const port = await freePort()
  const settings = {
    bind: '127.0.0.1',
    port,
    dir,
    appendonly: 'yes',
    appendfsync,
    'maxmemory-policy': 'noeviction',
  }
  const args = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)])
  const child = await startChild({ name: 'redis', command, args: [...args, '--save', ''], ready: () => listens(port) })
  return { child, port }
}
