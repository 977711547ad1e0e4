/** `demo.json` in the data directory: everything a script needs to use the demo tenant. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** WhatsApp has `phone_number_id`, `template_name` and `template_language`; other types have the account's own id. */
export type DemoChannel = { id: string; [detail: string]: string }

export type Demo = {
  base_url: string
  token: string
  operator_key: string
  company_id: string
  project_id: string
  /** Keyed by channel type. */
  channels: Record<string, DemoChannel>
  simulator_url: string
  console_url: string
  agent: { email: string; password: string }
}

const fileOf = (data_dir: string) => join(data_dir, 'demo.json')

export function readDemo(data_dir: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(data_dir), 'utf8'))
  } catch {
    return undefined
  }
}

/** Written completely or not at all, because scripts wait for this file. */
export function writeDemo(data_dir: string, demo: Demo): void {
  const draft = `${fileOf(data_dir)}.new`
  writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, fileOf(data_dir))
}
