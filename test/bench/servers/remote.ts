/**
 * A Node process that takes orders of the benchmark. The parent starts a TypeScript file and calls its methods over the
 * IPC channel; the file offers them with `offer`. A process whose parent has gone ends too.
 */
import { fileURLToPath } from 'node:url'
import { type Child, startChild } from './child.ts'

type Order = { id: number; method: string; argument: unknown }
type Answer = { id: number; value?: unknown; error?: string }

/** A started process and the way to call it. */
export type Remote = { child: Child; call<T>(method: string, argument?: unknown): Promise<T> }

/**
 * Starts `file` (relative to the caller's `base`) and waits for its `offer`. `config` is passed to the `start` method.
 */
export async function startRemote(name: string, base: string, file: string, config: unknown = {}): Promise<Remote> {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let ready = false
  const child = await startChild({
    name,
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL(file, base))],
    ipc: true,
    ready: (starting) => {
      if (starting.process.listenerCount('message') === 0) {
        starting.process.on('message', (answer: Answer) => {
          if (answer.id === 0) ready = true
          const waiter = waiting.get(answer.id)
          waiting.delete(answer.id)
          if (answer.error !== undefined) waiter?.reject(new Error(`${name}: ${answer.error}`))
          else waiter?.resolve(answer.value as never)
        })
      }
      return ready
    },
  })
  child.process.once('exit', () => {
    for (const waiter of waiting.values()) waiter.reject(new Error(`${name} ended:\n${child.output()}`))
  })
  let last = 0
  const call = <T>(method: string, argument: unknown = null) =>
    new Promise<T>((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      child.process.send({ id, method, argument } satisfies Order)
    })
  await call('start', config)
  return { child, call }
}

/** Answers the parent's calls, in the child. `start` is called first, once. */
export function offer(methods: Record<string, (argument: never) => unknown>): void {
  const send = (answer: Answer) => process.send?.(answer)
  process.on('message', async ({ id, method, argument }: Order) => {
    try {
      send({ id, value: await methods[method]?.(argument as never) })
    } catch (error) {
      send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.once('disconnect', () => process.exit(0))
  process.once('SIGTERM', () => process.exit(0))
  send({ id: 0 })
}
