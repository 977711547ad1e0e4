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
  const file = join(data_dir, 'keys.json')
  let known: Partial<DevelopmentKeys> = {}
  try {
    known = JSON.parse(readFileSync(file, 'utf8'))
  } catch {}
  const keys: DevelopmentKeys = {
    operator_key: known.operator_key ?? made(),
    secret: known.secret ?? made(),
    simulator: known.simulator ?? { port: 0, access_token: made(), app_secret: made(), verify_token: made() },
  }
  saveKeys(data_dir, keys)
  return keys
}

/** The secret that development starts in this directory use; undefined before the first one. */
export function knownSecret(data_dir: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(data_dir, 'keys.json'), 'utf8')).secret
  } catch {
    return undefined
  }
}

export function saveKeys(data_dir: string, keys: DevelopmentKeys): void {
  mkdirSync(data_dir, { recursive: true })
  const file = join(data_dir, 'keys.json')
  writeFileSync(`${file}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
