/**
 * A PostgreSQL for this run alone, with the settings that Parley gives it. Its work is measured, and it can stand
 * still.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers } from '../../runtime/servers/start_servers.ts'
import { migrate, openDatabase } from '../../storage/mod.ts'
import { cpuSeconds } from '../bench/report/usage.ts'

export type MeasuredServer = {
  url: string
  /** Returns the CPU seconds so far, ended backends included. */
  cpu(): number
  /** Lets all processes of the server stand still until `resume`. Connections stay open. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

export async function startServer(directory: string): Promise<MeasuredServer> {
  const servers = await startServers({ data_dir: join(directory, 'database'), nats: false })
  const pid = () => servers.pids().postgres!
  const database = await openDatabase({ url: servers.database_url, secret: 'secret-of-the-scale-runs', pool_size: 4 })
  await migrate(database).finally(() => database.close())
  const signal = (name: NodeJS.Signals) => {
    for (const one of [pid(), ...childrenOf(pid())]) send(one, name)
  }
  return {
    url: servers.database_url,
    cpu: () => cpuSeconds({ postgres: pid() }).postgres!,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    stop: () => servers.stop(),
  }
}

/** Removes all nodes and owners from the tables, for the next fleet. */
export async function clearServer(url: string): Promise<void> {
  const database = await openDatabase({ url, pool_size: 3 })
  try {
    await database.execute('truncate node, partition, cluster cascade')
  } finally {
    await database.close()
  }
}

/** Returns the bytes that this process has read and written so far, by all its system calls. */
export function bytesMoved(): number {
  const io = readFileSync('/proc/self/io', 'utf8')
  return Number(io.match(/rchar: (\d+)/)?.[1]) + Number(io.match(/wchar: (\d+)/)?.[1])
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended meanwhile.
  }
}

function childrenOf(pid: number): number[] {
  const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return listed.split('\n').map(Number).filter(Boolean)
}
