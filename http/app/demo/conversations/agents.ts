/** Two agents who can sign in to the console. Their passwords are kept beside `demo.json`. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Demo } from '../demo_file.ts'
import { makeOnce } from './make_once.ts'

export type Agent = { full_name: string; email: string; password: string }

const AGENTS = [
  { full_name: 'Eva Luna', email: 'eva@demo.parley.example' },
  { full_name: 'Tomás Ortega', email: 'tomas@demo.parley.example' },
]

/** The agents of an earlier start, or new ones. */
export async function signUpAgents(data_dir: string, demo: Demo): Promise<Agent[]> {
  const file = join(data_dir, 'conversations.json')
  const agents =
    readAgents(file) ?? AGENTS.map((agent) => ({ ...agent, password: randomBytes(9).toString('base64url') }))
  // First, because an agent whose password is unknown could not be signed up again.
  writeFileSync(file, `${JSON.stringify(agents, null, 2)}\n`, { mode: 0o600 })
  const { company_id } = demo
  for (const agent of agents) await makeOnce(demo, 'users', { ...agent, company_id, permissions: ['console.agent'] })
  return agents
}

function readAgents(file: string): Agent[] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
