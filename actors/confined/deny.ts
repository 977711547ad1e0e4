/**
 * Takes away what the permissions of Node.js leave to a program: the network, Unix sockets included, and signals. It holds
 * for code of a parser that a document misleads; the kernel denies the network, too, where it has namespaces.
 */
import dgram from 'node:dgram'
import net from 'node:net'

function denied(): never {
  throw new Error('not permitted here')
}

export function denyNetworkAndSignals(): void {
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name)
  const methods: [object: object, names: string[]][] = [
    [net.Socket.prototype, ['connect']],
    [net.Server.prototype, ['listen']],
    [dgram.Socket.prototype, ['bind', 'connect', 'send']],
    [process, ['kill', '_kill', '_debugProcess']],
  ]
  for (const [object, names] of methods) {
    for (const name of names)
      Object.defineProperty(object, name, { value: denied, writable: false, configurable: false })
  }
}
