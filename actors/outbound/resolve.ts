import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** All addresses of a host name, IPv4 first. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>

type Options = {
  /** Addresses with ports, instead of the DNS servers of the system. */
  servers?: readonly string[]
  /** For the first try at each server; the second may take twice as long. */
  timeout_ms?: number
}

const HOSTS_FILE = '/etc/hosts'
const TIMEOUT_MS = 1_500
/** Maximum wait for the other address family once one has answered: some name servers never answer about IPv6. */
const OTHER_FAMILY_MS = 500

/**
 * Asks the hosts file, then the DNS. Not `dns.lookup`: that blocks one of four threads per name, so that four names
 * with a dead name server would stop every other connection (and file access) of the process.
 */
export function systemResolve({ servers, timeout_ms = TIMEOUT_MS }: Options = {}): Resolve {
  return async (hostname) => {
    const listed = await fromHostsFile(hostname)
    if (listed.length > 0) return listed
    // One for each name: in a shared one a broken answer to one name fails concurrent queries. It also reads
    // resolv.conf anew.
    const resolver = new Resolver({ timeout: timeout_ms, tries: 2 })
    if (servers) resolver.setServers(servers)
    return await askBoth(resolver, hostname)
  }
}

async function askBoth(resolver: Resolver, hostname: string): Promise<string[]> {
  const questions = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
  let waiting: NodeJS.Timeout | undefined
  Promise.any(questions).then(
    () => {
      waiting = setTimeout(() => resolver.cancel(), OTHER_FAMILY_MS)
    },
    () => {},
  )
  const answers = await Promise.allSettled(questions)
  clearTimeout(waiting)
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found
  throw answers[0]?.status === 'rejected' ? answers[0].reason : noAddress(hostname)
}

/** The error for an existing name without an address. */
export function noAddress(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address.`), { code: 'ENODATA' })
}

async function fromHostsFile(hostname: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
  return lines.filter((line) => line.indexOf(hostname.toLowerCase()) > 0).map((line) => line[0] as string)
}
