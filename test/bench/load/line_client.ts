import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { Issue } from './loop.ts'

/**
 * Load over one TCP connection to a process that hosts a library. A line `<id> <key> <payload>` asks for an operation,
 * a line `<id>` reports that its effect is committed, and `<id> !` that it failed.
 */
export async function lineClient(port: number, payload: string): Promise<Issue> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const waiting = new Map<number, (ok: boolean) => void>()
  createInterface({ input: socket }).on('line', (line) => {
    const id = Number.parseInt(line, 10)
    const done = waiting.get(id)
    waiting.delete(id)
    done?.(!line.endsWith('!'))
  })
  let last = 0
  let batch = ''
  const flush = () => {
    socket.write(batch)
    batch = ''
  }
  return (key, done) => {
    const id = ++last
    waiting.set(id, done)
    if (batch === '') setImmediate(flush)
    batch += `${id} ${key} ${payload}\n`
  }
}
