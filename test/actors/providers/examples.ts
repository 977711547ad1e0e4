/** Calls from the documentation of providers, by name, and the adapter's reading of them. */
import { readFileSync } from 'node:fs'
import type { Credentials, Inbound, Provider } from '../../../actors/providers/provider.ts'

type Example = { name: string; source: string; call: unknown }

export const NOW = new Date('2026-11-21T12:00:00Z')

export function examplesOf(file: string): Map<string, unknown> {
  const path = new URL(`fixtures/${file}.json`, import.meta.url)
  const { examples } = JSON.parse(readFileSync(path, 'utf8')) as { examples: Example[] }
  return new Map(examples.map(({ name, call }) => [name, call]))
}

/** Returns a reader of correctly signed calls. */
export function reader(provider: Provider, credentials: Credentials, sign: (raw: string, key: Credentials) => string) {
  return (call: unknown): Inbound[] => {
    const raw = JSON.stringify(call)
    const account = { channel_id: 'c1', name: 'Tests', provider_account_id: null, credentials }
    const read = provider.hook?.read({ raw, signature: sign(raw, credentials) }, account, NOW)
    if (read?.status !== 200) throw new Error(`answered ${read?.status}: ${read?.body}`)
    return read.items
  }
}
