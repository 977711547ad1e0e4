/** Two agents who can sign in to the console. Their passwords are kept beside `demo.json`. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Demo } from '../demo_file.ts'

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
  for (const agent of agents) await signUp(demo, agent)
  return agents
}

function readAgents(file: string): Agent[] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

async function signUp({ base_url, operator_key, company_id }: Demo, agent: Agent): Promise<void> {
  const response = await fetch(`${base_url}/admin/v1/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...agent, company_id, permissions: ['console.agent'] }),
  })
  // An earlier start has signed up the agent.
  if (response.ok || response.status === 409) return
  throw new Error(`The agent ${agent.email} could not be signed up: ${response.status} ${await response.text()}`)
}
