/** Changes that operators make in the console. */
import { type Console, makeAgent, signIn } from '../console_client.ts'
import { connectNumber } from '../fixture.ts'
import { type Scene, SECRET, type Step } from './scene.ts'

export function stepsOfConsoleOperators({ world, tenant, database, keep, id, post }: Scene): Step[] {
  const { company_id, project_id, user_id } = tenant
  let signed_in: Console | undefined
  const call = async (method: string, path: string, json?: unknown) => {
    const permissions = ['console.agent', 'console.operator']
    signed_in ??= await signIn(world, await makeAgent(world, tenant, { permissions }))
    return signed_in.call(method, `ops/${path}`, { json })
  }
  const parkLetter = async (): Promise<string> => {
    const [row] = await database.execute<{ id: string }>(
      `insert into dead_letter (partition, address, sender, message, error)
        values (0, 'mail/none', 'project/one', '{"type":"attempted","attempt":0}', 'Error: old') returning id::text`,
    )
    return row!.id
  }
  const byFilter = async (what: string, more = {}) => {
    await parkLetter()
    return call('POST', `dead-letters/${what}`, { kind: 'mail', ...more })
  }
  const user = { company_id, full_name: 'Eva', email: 'eva.two@example.com', password: SECRET.repeat(3) }
  return [
    ['ops_create_user', () => keep('ops_user', call('POST', 'users', user))],
    ['ops_update_user', () => call('PATCH', `users/${id('ops_user')}`, { password: SECRET.repeat(4) })],
    ['ops_update_project', () => call('PATCH', `projects/${project_id}`, { name: 'Sales' })],
    [
      'ops_invite_user',
      async () => {
        const guest = { company_id, full_name: 'Lea', email: 'lea@example.com', permissions: ['console.agent'] }
        await keep('ops_guest', post('users', guest))
        return call('POST', `users/${id('ops_guest')}/invite`)
      },
    ],
    [
      'ops_request_channel_history',
      async () => call('POST', `channels/${(await connectNumber(world, project_id)).channel_id}/history`, {}),
    ],
    ['ops_check_channel', () => call('POST', `channels/${tenant.number.channel_id}/check`)],
    ['ops_replay_dead_letter', async () => call('POST', `dead-letters/${await parkLetter()}/replay`)],
    ['ops_replay_dead_letters', () => byFilter('replay')],
    ['ops_drop_dead_letter', async () => call('DELETE', `dead-letters/${await parkLetter()}`)],
    ['ops_drop_dead_letters', () => byFilter('drop', { confirm: true })],
    [
      'ops_revoke_token',
      async () => {
        await keep('ops_token', post('tokens', { project_id, user_id, name: 'CI', scopes: ['messages:read'] }))
        return call('DELETE', `tokens/${id('ops_token')}`)
      },
    ],
    [
      'ops_drain_node',
      async () => {
        const { nodes } = (await world.operator('GET', 'cluster')).body
        return call('POST', `cluster/nodes/${nodes[0].id}/drain`)
      },
    ],
  ]
}
