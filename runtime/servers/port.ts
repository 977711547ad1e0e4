import { createServer } from 'node:net'

/**
 * Finds a free port of 127.0.0.1, below the range that the kernel uses for outgoing connections, so that a port stored
 * today is most likely still free at the next start. No other process that asks here gets the same one while this
 * process lives.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    if ((await isFree(port)) && (await claim(port))) return port
  }
  throw new Error('no free port between 20000 and 32000')
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

/**
 * Marks a port as taken until its server listens, which may be seconds later: two processes that choose the same one
 * would both find it free. The mark is an abstract Unix socket, which the kernel removes with the process; only Linux
 * has them.
 */
function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true)
  return new Promise((resolve) => {
    const mark = createServer((socket) => socket.destroy()).unref()
    mark.once('error', () => resolve(false))
    mark.listen({ path: `\0parley-port-${port}`, exclusive: true }, () => resolve(true))
  })
}
