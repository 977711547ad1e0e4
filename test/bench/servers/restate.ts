/** A single Restate server (default durability, default partitions) for one contestant. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, startChild } from './child.ts'
import { freePort, statusOf } from './ports.ts'

/** Ports of a running Restate: `ingress_port` takes invocations, `admin_port` registers deployments. */
export type Restate = { child: Child; ingress_port: number; admin_port: number }

/** Starts restate-server below `directory`. */
export async function startRestate(directory: string): Promise<Restate> {
  const modules = new URL('../../../node_modules/', import.meta.url)
  const binary = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`
  const base = join(directory, 'restate')
  mkdirSync(base, { recursive: true })
  const ingress_port = await freePort()
  const admin_port = await freePort()
  const node_port = await freePort()
  const file = join(base, 'restate.toml')
  writeFileSync(
    file,
    [
      `base-dir = ${JSON.stringify(base)}`,
      'node-name = "bench"',
      'bind-ip = "127.0.0.1"',
      `bind-port = ${node_port}`,
      'advertised-host = "127.0.0.1"',
      'disable-telemetry = true',
      'log-filter = "warn"',
      `[ingress]\nbind-address = "127.0.0.1:${ingress_port}"`,
      `[admin]\nbind-address = "127.0.0.1:${admin_port}"`,
      '',
    ].join('\n'),
  )
  const child = await startChild({
    name: 'restate-server',
    command: fileURLToPath(new URL(binary, modules)),
    args: ['-c', file, '--listen-mode', 'tcp', '--no-logo'],
    ready: async () =>
      (await statusOf(`http://127.0.0.1:${admin_port}/health`)) === 200 &&
      (await statusOf(`http://127.0.0.1:${ingress_port}/restate/health`)) === 200,
  })
  return { child, ingress_port, admin_port }
}

/** Makes Restate discover the handlers that a service process serves at `port`. */
export async function registerDeployment(restate: Restate, port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${restate.admin_port}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
  })
  if (!response.ok) throw new Error(`Restate refused the deployment: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}
