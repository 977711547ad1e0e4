import { getCACertificates } from 'node:tls'
import { Agent, request } from 'undici'
import type { Config } from '../../app/settings/mod.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn } = findings('models')

const PATIENCE_MS = 5000

type Entry = Config['models'][number]

/** Asks the address of each model for its list of models, which costs nothing. A start does not need them. */
export async function checkModels({ config }: DoctorContext): Promise<Finding[]> {
  const { models, certificates } = config
  const ca = certificates.length > 0 ? { ca: [...getCACertificates('default'), ...certificates] } : {}
  const dispatcher = new Agent({ connect: { ...ca, timeout: PATIENCE_MS } })
  try {
    return await Promise.all(models.map((entry) => checkModel(entry, dispatcher)))
  } finally {
    await dispatcher.destroy()
  }
}

async function checkModel({ name, url, key, query, headers }: Entry, dispatcher: Agent): Promise<Finding> {
  const address = new URL(`${url.replace(/\/$/, '')}/models`)
  const { host } = address
  for (const [field, value] of Object.entries(query)) address.searchParams.set(field, value)
  try {
    const { statusCode, body } = await request(address, {
      dispatcher,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
    })
    await body.dump()
    if (statusCode === 401 || statusCode === 403) {
      return warn(`The model ${name} cannot be used: ${host} does not accept its key. Correct it in PARLEY_MODELS.`)
    }
    // Not every provider has the list, but each that answers can be reached.
    if (statusCode < 500) return ok(`The address of the model ${name} answers (${host}).`)
    return warn(`The model ${name} cannot be used now: ${host} answers with the status ${statusCode}.`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = (error as Error).name === 'TimeoutError' ? 'no answer in time' : (code ?? message)
    return warn(`The model ${name} cannot be reached at ${host} (${reason}): correct its url in PARLEY_MODELS.`)
  }
}
