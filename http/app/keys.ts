/**
 * Keys that a development start generates, kept in the data directory for the next one. In production the environment
 * has the keys, and none are written.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type DevelopmentKeys = {
  operator_key: string
  secret: string
  /** Shared by the demo's accounts and their simulator. */
  simulator: { port: number; access_token: string; app_secret: string; verify_token: string }
}

const made = () => randomBytes(24).toString('hex')

export function developmentKeys(data_dir: string): DevelopmentKeys {
  const known = knownKeys(data_dir)
  const keys: DevelopmentKeys = {
    operator_key: known.operator_key ?? made(),
    secret: known.secret ?? made(),
    simulator: known.simulator ?? { port: 0, access_token: made(), app_secret: made(), verify_token: made() },
  }
  saveKeys(data_dir, keys)
  return keys
}

/** The keys of earlier development starts in this directory; empty before the first one. */
export function knownKeys(data_dir: string): Partial<DevelopmentKeys> {
  try {
    return JSON.parse(readFileSync(join(data_dir, 'keys.json'), 'utf8'))
  } catch {
    return {}
  }
}

export function saveKeys(data_dir: string, keys: Partial<DevelopmentKeys>): void {
  mkdirSync(data_dir, { recursive: true })
  const file = join(data_dir, 'keys.json')
  writeFileSync(`${file}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
