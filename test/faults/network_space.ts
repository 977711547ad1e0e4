/**
 * A network of hosts on one machine: a network namespace each, wired to a router in a namespace of its own. Packets
 * that the router drops are gone without a trace, as on a real network: no reset, no ICMP, and per direction.
 *
 * host ── veth ── router ── veth ── host
 *
 * The router drops by policy routing (`ip rule … blackhole`), which every kernel with namespaces has; netem and
 * nftables are often missing. The machine itself is one of the hosts, "outside".
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Owner } from '../support/mod.ts'

export type Space = {
  /** The address of a host for all others. */
  address(host: string): string
  /** Returns the command line that runs a command inside a host. */
  inside(host: string, command: string, args: string[]): [string, string[]]
  /** Lets nothing through from one host to the other. The way back stays as it is. */
  cut(from: string, to: string): Promise<void>
  heal(from: string, to: string): Promise<void>
}

export const OUTSIDE = 'outside'

/**
 * Returns one sentence about what this machine lacks for a network of namespaces, or undefined when it lacks nothing.
 */
export function missingForSpace(): string | undefined {
  if (process.platform !== 'linux') return 'Network namespaces exist on Linux only.'
  if (process.getuid?.() !== 0) return 'Network namespaces need root: run this as root (sudo).'
  if (spawnSync('ip', ['-V']).error) return 'There is no `ip`: install iproute2 (Debian: apt-get install iproute2).'
  const name = `parley-probe-${process.pid}`
  const made = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' })
  if (made.status !== 0) return `This kernel or container refuses network namespaces: ${made.stderr.trim()}`
  const rule = spawnSync('ip', ['-n', name, 'rule', 'add', 'to', '192.0.2.1', 'blackhole'], { encoding: 'utf8' })
  const veth = spawnSync('ip', ['-n', name, 'link', 'add', 'name', 'one', 'type', 'veth', 'peer', 'name', 'other'], {
    encoding: 'utf8',
  })
  spawnSync('ip', ['netns', 'del', name])
  if (rule.status !== 0) return `This kernel has no policy routing: ${rule.stderr.trim()}`
  if (veth.status !== 0) return `This kernel has no veth: ${veth.stderr.trim()}`
  return undefined
}

/** Makes the network, which is removed with its owner. A failure throws the message of `ip`. */
export async function startSpace(t: Owner, hosts: string[]): Promise<Space> {
  await removeLeftovers()
  const mark = `py${process.pid}`
  const router = `${mark}-router`
  const subnet = freeSubnet()
  const made: string[] = []
  t.teardown(async () => {
    await ip('link', 'del', link(0)).catch(() => {})
    for (const name of made) await ip('netns', 'del', name).catch(() => {})
  })
  await namespace(router)
  await ip('netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
  const all = [OUTSIDE, ...hosts]
  for (const [index, host] of all.entries()) {
    if (host !== OUTSIDE) await namespace(nameOf(host))
    await wire(host, index)
  }
  const cuts = new Set<string>()

  function nameOf(host: string): string {
    return `${mark}-${host}`
  }
  /** Returns an interface name, which has 15 letters at most. */
  function link(index: number): string {
    return `${mark}h${index}`
  }
  async function namespace(name: string): Promise<void> {
    await ip('netns', 'add', name)
    made.push(name)
    await ip('-n', name, 'link', 'set', 'dev', 'lo', 'up')
  }
  async function wire(host: string, index: number): Promise<void> {
    const near = host === OUTSIDE ? [] : ['-n', nameOf(host)]
    const place = host === OUTSIDE ? [] : ['netns', nameOf(host)]
    const [here, there] = [link(index), `r${index}`]
    await ip('link', 'add', 'name', here, ...place, 'type', 'veth', 'peer', 'name', there, 'netns', router)
    await ip('-n', router, 'addr', 'add', `${subnet}.${index}.1/24`, 'dev', there)
    await ip('-n', router, 'link', 'set', 'dev', there, 'up')
    await ip(...near, 'addr', 'add', `${subnet}.${index}.2/24`, 'dev', here)
    await ip(...near, 'link', 'set', 'dev', here, 'up')
    const wanted = host === OUTSIDE ? `${subnet}.0.0/16` : 'default'
    await ip(...near, 'route', 'add', wanted, 'via', `${subnet}.${index}.1`)
  }
  function address(host: string): string {
    const index = all.indexOf(host)
    if (index < 0) throw new Error(`no such host: ${host}`)
    return `${subnet}.${index}.2`
  }
  const rule = (verb: string, from: string, to: string) =>
    ip('-n', router, 'rule', verb, 'from', address(from), 'to', address(to), 'blackhole', 'pref', '100')
  return {
    address,
    inside: (host, command, args) =>
      host === OUTSIDE ? [command, args] : ['ip', ['netns', 'exec', nameOf(host), command, ...args]],
    async cut(from, to) {
      if (cuts.has(`${from} ${to}`)) return
      cuts.add(`${from} ${to}`)
      await rule('add', from, to)
    },
    async heal(from, to) {
      if (cuts.delete(`${from} ${to}`)) await rule('del', from, to)
    },
  }
}

/** Removes the namespaces of a run that was killed. The namespaces take their links along. */
async function removeLeftovers(): Promise<void> {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' })
  for (const [name, pid] of stdout.matchAll(/^py(\d+)-\S+/gm)) {
    if (!existsSync(`/proc/${pid}`)) await ip('netns', 'del', name)
  }
}

/** Returns the first two numbers of a /16 that no route of this machine knows. */
function freeSubnet(): string {
  const routes = readFileSync('/proc/net/route', 'utf8')
  const taken = (second: number) => routes.includes(`${second.toString(16).toUpperCase().padStart(2, '0')}0A\t`)
  for (let tries = 0; tries < 100; tries++) {
    const second = 128 + ((process.pid + tries * 7) % 120)
    if (!taken(second)) return `10.${second}`
  }
  throw new Error('This machine has no private network left.')
}

function ip(...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`ip ${args.join(' ')}: ${said.trim() || `exit code ${code}`}`)),
    )
  })
}
