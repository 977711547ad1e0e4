/** A nats-server with JetStream on disk for one contestant. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'
import { freePort, listens } from './ports.ts'
import { findTool } from './tools.ts'

/** `sync: 'always'` syncs every acknowledged publish to disk; it needs nats-server 2.10 or newer. */
export async function startNats(directory: string, sync: 'default' | 'always'): Promise<{ child: Child; url: string }> {
  const command = process.env.NATS_SERVER ?? findTool('nats-server', 'apt-get install nats-server, or set NATS_SERVER')
  const version = execFileSync(command, ['--version'])
    .toString()
    .match(/v(\d+)\.(\d+)/)
  if (sync === 'always' && Number(version?.[1]) === 2 && Number(version?.[2]) < 10) {
    throw new Error(`sync_interval: always needs nats-server 2.10 or newer, this is ${version?.[0]}; set NATS_SERVER`)
  }
  const store = join(directory, 'nats')
  mkdirSync(store, { recursive: true })
  const port = await freePort()
  const always = sync === 'always' ? ', sync_interval: always' : ''
  const config = `host: 127.0.0.1\nport: ${port}\njetstream { store_dir: ${JSON.stringify(store)}${always} }\n`
  writeFileSync(join(store, 'nats.conf'), config)
  const child = await startChild({
    name: 'nats-server',
    command,
    args: ['-c', join(store, 'nats.conf')],
    ready: () => listens(port),
  })
  return { child, url: `nats://127.0.0.1:${port}` }
}
