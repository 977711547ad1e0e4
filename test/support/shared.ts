/**
 * Access to the servers and nodes that the test processes of one run share. A process asks the run for it over its IPC channel, and the run starts it at
 * the first request, so that a file without a database waits for no server.
 */

/** `servers`: `SharedServers`. `node`: `SharedNode`. `cluster`: `SharedCluster`. */
export type Shared = 'servers' | 'node' | 'cluster'

const all: unknown[] = ['servers', 'node', 'cluster'] satisfies Shared[]

/** Tells a request from the messages that tap sends. */
export const isShared = (message: unknown): message is Shared => all.includes(message)

type Reply = { wanted: Shared; value?: unknown; error?: string }

const asked = new Map<Shared, Promise<unknown>>()

/** Returns undefined in a process that no run has started, such as a file that Node runs directly. */
export function askRun<Value>(wanted: Shared): Promise<Value> | undefined {
  if (!process.send) return undefined
  const answer = asked.get(wanted) ?? ask(wanted)
  asked.set(wanted, answer)
  return answer as Promise<Value>
}

function ask(wanted: Shared): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const hear = (reply: Reply) => {
      if (reply.wanted !== wanted) return
      process.off('message', hear)
      if (reply.error === undefined) resolve(reply.value)
      else reject(new Error(reply.error))
    }
    process.on('message', hear)
    process.send!(wanted)
  })
}
