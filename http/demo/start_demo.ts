/** The demo of a development start: a provider simulator, a tenant that uses it, and `demo.json` that tells of both. */
import { join } from 'node:path'
import { type Config, freePort } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { limitsOf } from '../api_node.ts'
import { type DevelopmentKeys, saveKeys } from '../keys.ts'
import { type Demo, writeDemo } from './demo_file.ts'
import { startSimulatorProcess } from './simulator_process.ts'
import { demoNumber, ensureDemoTenant } from './tenant.ts'

/** The simulator and the tenant; `announce` completes both once the address of the API is known. */
export async function startDemo(
  config: Config,
  keys: DevelopmentKeys,
  database: Database,
  stops: (() => Promise<void>)[],
) {
  const { data_dir } = config
  const { access_token, app_secret, verify_token } = keys.simulator
  const number = { ...demoNumber, access_token, app_secret, verify_token }
  const options = { numbers: [number], journal: join(data_dir, 'simulator.jsonl') }
  // The same port as last time, unless somebody took it; never one the kernel picks, which could not be had again at once.
  const simulator = await startSimulatorProcess({ ...options, port: keys.simulator.port || (await freePort()) }).catch(
    async () => startSimulatorProcess({ ...options, port: await freePort() }),
  )
  stops.push(() => simulator.stop())
  keys.simulator.port = Number(new URL(simulator.url).port)
  saveKeys(data_dir, keys)
  const tenant = await ensureDemoTenant(database, {
    data_dir,
    keys,
    limits: limitsOf(config),
    simulator_url: simulator.url,
  })
  return {
    async announce(base_url: string, operator_key: string): Promise<Demo> {
      const webhook_url = `${base_url}/providers/whatsapp/${tenant.channels.whatsapp!.id}`
      const response = await fetch(`${simulator.url}/_control/numbers`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...number, webhook_url }),
      })
      if (!response.ok) throw new Error(`The simulator refused its number: ${await response.text()}`)
      const { token, company_id, project_id, channels, agent } = tenant
      const simulator_url = simulator.url
      const console_url = `${base_url}/console`
      const demo = {
        base_url,
        token,
        operator_key,
        company_id,
        project_id,
        channels,
        simulator_url,
        console_url,
        agent,
      }
      writeDemo(data_dir, demo)
      return demo
    },
  }
}
