/** Drafts of Flows that are asked for under idempotency keys, and those that the provider has. */
import type { Json } from './client.ts'
import type { Outside, Tenant } from './fixture.ts'

export const survey = (name: string) => ({
  name,
  categories: ['SURVEY'],
  flow_json: { version: '7.0', screens: [] },
})

/** A Flow that the provider publishes. */
export const GOOD = {
  version: '7.0',
  screens: [
    {
      id: 'ONE',
      title: 'One',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
      },
    },
  ],
}

/** The request again, if it has the same key. */
export const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

export async function flowsAtProvider(world: Outside, { number }: Tenant): Promise<string[]> {
  const path = `${number.business_account_id}/flows?limit=100`
  const { body } = await world.http('GET', `${world.simulator_url}/v25.0/${path}`, { token: number.access_token })
  return body.data.map(({ name }: Json) => name).filter((name: string) => name !== 'Book a visit')
}
