import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { natsBinary } from '../../../runtime/servers/nats.ts'
import { type Server, startChild } from './child.ts'
import { freePort, listens } from './ports.ts'

/**
 * A nats-server with JetStream on disk. `sync: 'always'` syncs every acknowledged publish to disk; it needs
 * nats-server 2.10 or newer, which PARLEY_NATS_SERVER can name.
 */
export async function startNats(
  directory: string,
  sync: 'default' | 'always',
): Promise<{ server: Server; url: string }> {
  const command = natsBinary()
  const version = execFileSync(command, ['--version'])
    .toString()
    .match(/v(\d+)\.(\d+)/)
  if (sync === 'always' && Number(version?.[1]) === 2 && Number(version?.[2]) < 10) {
    throw new Error(`sync_interval: always needs nats-server 2.10, not ${version?.[0]}; set PARLEY_NATS_SERVER to one`)
  }
  const store = join(directory, 'nats')
  mkdirSync(store, { recursive: true })
  const port = await freePort()
  const always = sync === 'always' ? ', sync_interval: always' : ''
  const jetstream = `jetstream { store_dir: ${JSON.stringify(store)}${always} }`
  writeFileSync(join(store, 'nats.conf'), `listen: "127.0.0.1:${port}"\nmax_payload: 8MB\n${jetstream}\n`)
  const ready = () => listens(port)
  const server = await startChild({ name: 'nats-server', command, args: ['-c', join(store, 'nats.conf')], ready })
  return { server, url: `nats://127.0.0.1:${port}` }
}
