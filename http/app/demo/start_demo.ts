/** The demo of a development start: a provider simulator, a tenant that uses it, and `demo.json` that describes both. */
import { join } from 'node:path'
import { freePort } from '../../../runtime/mod.ts'
import type { Database } from '../../../storage/mod.ts'
import { type DevelopmentKeys, saveKeys } from '../keys.ts'
import type { Stops } from '../node/stops.ts'
import type { Config } from '../settings/mod.ts'
import { type DemoAccount, demoAccounts, simulatorAccounts } from './accounts.ts'
import { type Demo, writeDemo } from './demo_file.ts'
import { demoLimits } from './limits.ts'
import { demoModels } from './models.ts'
import { startSimulatorProcess } from './simulator_process.ts'
import { type DemoTenant, ensureDemoTenant } from './tenant.ts'

/** Starts the simulator and creates the tenant; `announce` completes both once the address of the API is known. */
export async function startDemo(config: Config, keys: DevelopmentKeys, database: Database, stops: Stops) {
  const { data_dir } = config
  const accounts = demoAccounts(keys.simulator)
  const options = { ...simulatorAccounts(accounts), journal: join(data_dir, 'simulator.jsonl') }
  // The same port as last time, unless another process took it; never one that the kernel picks, which could not be
  // reused at once.
  const simulator = await startSimulatorProcess({ ...options, port: keys.simulator.port || (await freePort()) }).catch(
    async () => startSimulatorProcess({ ...options, port: await freePort() }),
  )
  stops.push(() => simulator.stop())
  keys.simulator.port = Number(new URL(simulator.url).port)
  saveKeys(data_dir, keys)
  const limits = demoLimits(config)
  const model = config.assistant_models[0]!
  const tenant = await ensureDemoTenant(database, { data_dir, limits, model, accounts, simulator })
  return {
    models: demoModels(config, simulator.url),
    async announce(base_url: string, operator_key: string): Promise<Demo> {
      await Promise.all(accounts.map((account) => setWebhook(simulator.url, base_url, account, tenant)))
      const { token, company_id, project_id, channels, agent } = tenant
      const simulator_url = simulator.url
      const console_url = `${base_url}/console`
      const demo = {
        base_url,
        token,
        operator_key,
        company_id,
        project_id,
        channels: { ...channels, web: { ...channels.web!, widget_url: `${base_url}/widget/${channels.web!.id}` } },
        simulator_url,
        console_url,
        agent,
      }
      writeDemo(data_dir, demo)
      return demo
    },
  }
}

async function setWebhook(
  simulator_url: string,
  base_url: string,
  { channel_type, simulated }: DemoAccount,
  { channels }: DemoTenant,
): Promise<void> {
  if (!simulated) return
  const webhook_url = `${base_url}/providers/${channel_type}/${channels[channel_type]!.id}`
  const response = await fetch(`${simulator_url}/_control/${simulated.list}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...simulated.account, webhook_url }),
  })
  if (!response.ok) throw new Error(`The simulator refused its ${channel_type} account: ${await response.text()}`)
}
