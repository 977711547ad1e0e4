import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** All addresses of a host name, IPv4 first. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>

const HOSTS_FILE = '/etc/hosts'

/**
 * Asks the hosts file, then the DNS servers of the system. Not `dns.lookup`: that blocks one of four threads per name,
 * so that four names with a dead name server would stop every other connection (and file access) of the process.
 */
export function systemResolve(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    const listed = await fromHostsFile(hostname)
    if (listed.length > 0) return listed
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    throw v4.status === 'rejected' ? v4.reason : new Error(`no address for ${hostname}`)
  }
}

async function fromHostsFile(hostname: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
  return lines.filter((line) => line.indexOf(hostname.toLowerCase()) > 0).map((line) => line[0] as string)
}
