/** Changes that people make in the console. */
import { ORDER, people } from '../broadcast_client.ts'
import type { Answer } from '../client.ts'
import { type Console, makeAgent, signIn } from '../console_client.ts'
import type { Scene, Step } from './scene.ts'

export function stepsOfAgents({ world, tenant, made, keep }: Scene): Step[] {
  const { project_id, api } = tenant
  let agent: Console
  return [
    [
      'sign_in',
      async () => {
        const user = await makeAgent(world, tenant)
        agent = await signIn(world, user)
        return { status: 201 } as Answer
      },
    ],
    [
      'console_cancel_broadcast',
      async () => {
        await keep('bulk', api('POST', 'messages/bulk', { ...ORDER, recipients: people(200) }))
        return agent.call('POST', `projects/${project_id}/messages/bulk/${made.bulk.broadcast_id}/cancel`)
      },
    ],
    ['sign_out', () => agent.call('DELETE', 'session')],
  ]
}
