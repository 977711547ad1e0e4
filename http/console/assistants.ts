/** The assistants of a project in one answer: their figures of today, and the places where they answer. */
import * as v from 'valibot'
import { beginOfDay, deploymentRecord, named, recordId, timestamp, toDeploymentRecord } from '../../actors/mod.ts'
import { newDate, Project, readDeploymentsOf, readRows, sumTurns } from '../../storage/mod.ts'
import type { AssistantHooks } from '../routes/assistants/work.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'

const overview = named(
  'AssistantOverview',
  v.object({
    since: v.pipe(timestamp, v.description('The beginning of the day in the zone of the office hours, or in UTC')),
    models: v.pipe(v.array(v.string()), v.description('Those that the operator offers; the first is the default')),
    has_prices: v.pipe(v.boolean(), v.description('True when a budget may limit money')),
    data: v.array(
      v.object({
        assistant_id: recordId,
        answered: v.number(),
        handed_over: v.number(),
        failed: v.number(),
        costs: v.array(v.object({ currency: v.string(), amount: v.number() })),
        deployments: v.array(deploymentRecord),
      }),
    ),
  }),
)

export function assistantOverviewRoutes(hooks: Pick<AssistantHooks, 'models' | 'services'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/console/projects/:project_id/assistant_overview',
      operation: 'console_get_assistant_overview',
      summary: 'Turns in conversations since the day began and deployments by assistant, those without either left out',
      auth: 'agent',
      pool: 'exempt',
      status: 200,
      response: overview,
      errors: ['NOT_FOUND'],
      async read(_, { database, project_id }) {
        // One after the other, because a read has one connection.
        const [project] = await readRows(database, Project, { _id: project_id })
        const since = beginOfDay(project?.office_hours, newDate())
        const turns = new Map((await sumTurns(database, project_id, since)).map((own) => [own.assistant_id, own]))
        const places = new Map(
          (await readDeploymentsOf(database, [project_id])).map(({ assistant_id, rows }) => [assistant_id, rows]),
        )
        const data = [...new Set([...turns.keys(), ...places.keys()])].map((assistant_id) => {
          const { answered = 0, handed_over = 0, failed = 0, costs = [] } = turns.get(assistant_id) ?? {}
          return {
            ...{ assistant_id, answered, handed_over, failed },
            costs: costs.map(({ currency, amount }) => ({ currency, amount: Number(amount) })),
            deployments: (places.get(assistant_id) ?? []).map(toDeploymentRecord),
          }
        })
        const { models } = hooks.services
        const has_prices = models.names.some((name) => models.find(name)?.price)
        return { since, models: [...hooks.models], has_prices, data }
      },
    }),
  ]
}
