/**
 * People who write through the simulator. The phone that is paired by QR code has a project of its own: in the project of the demo it
 * would be a second WhatsApp channel, and each message there would have to name one.
 */
import { randomBytes } from 'node:crypto'
import type { Demo } from '../../app/demo/demo_file.ts'
import { Api, ApiRefusal } from '../connection/api.ts'
import { connectToSimulator, findDemo } from '../connection/connection.ts'
import { remark } from '../terminal/terminal.ts'
import type { Reported } from './simulator_report.ts'

const PROJECT = 'Paired phone'
const PHONE = { instance: 'demo-phone', number: '15550100009' }

type Json = Record<string, unknown>

/** POST /_control/inbound. Connects a paired phone first when the simulator of the demo has none. */
export async function callInbound(simulator_url: string | undefined, body: Json) {
  const simulator = connectToSimulator(simulator_url)
  const ask = () => simulator.call<Reported>('POST', '/_control/inbound', body)
  const demo = simulator_url === undefined && body.channel === 'whatsapp_qr' && !body.instance ? findDemo() : undefined
  if (!demo) return ask()
  try {
    return await ask()
  } catch (error) {
    // The simulator forgets its phones when it stops.
    if (!(error instanceof ApiRefusal && error.code === 'NOT_FOUND')) throw error
    await connectPhone(simulator, demo)
    return ask()
  }
}

async function connectPhone(simulator: Api, demo: Demo): Promise<void> {
  const operator = new Api(demo.base_url, demo.operator_key, 'operator key')
  const [api_key, webhook_secret] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')]
  const credentials = { api_base_url: demo.simulator_url, instance: PHONE.instance, api_key, webhook_secret }
  const project_id = await projectOf(operator, demo)
  const [known]: { _id: string }[] = await operator.all('/admin/v1/channels', { project_id })
  const fields = { project_id, channel_type: 'whatsapp', provider: 'qr', name: PROJECT }
  const { _id }: { _id: string } = known
    ? await operator.call('PATCH', `/admin/v1/channels/${known._id}`, { credentials })
    : await operator.call('POST', '/admin/v1/channels', { ...fields, credentials })
  await simulator.call('PUT', '/_control/instances', {
    ...PHONE,
    api_key,
    webhook_url: `${demo.base_url}/providers/whatsapp/${_id}`,
    webhook_headers: { 'X-Parley-Secret': webhook_secret },
  })
  remark(`A simulated phone is connected in the project “${PROJECT}” of the demo (${project_id}).`)
}

async function projectOf(operator: Api, { company_id }: Demo): Promise<string> {
  const projects: { _id: string; name: string }[] = await operator.all('/admin/v1/projects', { company_id })
  const known = projects.find(({ name }) => name === PROJECT)
  return (known ?? (await operator.call<{ _id: string }>('POST', '/admin/v1/projects', { company_id, name: PROJECT })))
    ._id
}
