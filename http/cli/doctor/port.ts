import { tryPort } from '../../app/node/port.ts'
import { type DoctorContext, localUrl } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('port')

export async function checkPort({ config, readiness }: DoctorContext): Promise<Finding[]> {
  const { host, port } = config
  if (readiness) {
    if (readiness.status === 'ready') return [ok(`Parley runs on ${localUrl(config)} and is ready.`)]
    const wrong = Object.entries(readiness.checks).filter(([, state]) => state !== 'ok')
    const reasons = wrong.map(([name, state]) => `${name}: ${state}`).join('; ')
    return [warn(`Parley runs on ${localUrl(config)} and is not ready (${reasons}): see its log.`)]
  }
  const code = await tryPort(host, port)
  if (!code) return [ok(`Port ${port} of ${host} is free.`)]
  const remedy: Record<string, string> = {
    EADDRINUSE: 'is taken by another program: stop that one, or set PARLEY_PORT to another port',
    EACCES: 'may not be opened by this user: set PARLEY_PORT to a port above 1023',
    EADDRNOTAVAIL: 'cannot be opened, the address is not of this machine: correct PARLEY_HOST',
    ENOTFOUND: 'cannot be opened, the name is unknown: correct PARLEY_HOST',
  }
  return [fail(`Port ${port} of ${host} ${remedy[code] ?? `cannot be opened (${code}): correct PARLEY_HOST`}.`)]
}
