import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { birthOf, childrenOf } from './process_table.ts'

const GONE_WITHIN_MS = 10_000

/**
 * Kills a server with its children at one moment, as when a machine loses power. A PostgreSQL backend whose parent was
 * killed lives on for a moment: it may still commit, and keeps the memory that the next start needs. Resolves when the
 * children have ended.
 */
export async function killTree(server: ChildProcess): Promise<void> {
  if (!server.pid) return
  // A server that stands still starts no further child.
  server.kill('SIGSTOP')
  const children = childrenOf(server.pid)
  for (const pid of children) kill(pid)
  server.kill('SIGKILL')
  for (const end = Date.now() + GONE_WITHIN_MS; children.some(birthOf) && Date.now() < end; ) await sleep(2)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
