import { ok } from './answer.ts'
import type { ControlRoute } from './control_route.ts'

/** Records of one kind: numbers, bots, mailboxes, … */
type Registry<Kept> = {
  all(): Kept[]
  /** Adds a record, or changes the given fields of an existing one. Throws ControlRefusal. */
  put(fields: Record<string, unknown>): { record: Kept; added: boolean }
}

/** GET lists all, PUT adds or changes one. `viewOf`: without secrets; `summaries`: for GET /_control. */
export function registryRoutes<Kept>(
  path: string,
  registry: Registry<Kept>,
  viewOf: (record: Kept) => object,
  summaries: { GET: string; PUT: string },
): ControlRoute[] {
  return [
    { method: 'GET', path, summary: summaries.GET, handle: () => ok({ data: registry.all().map(viewOf) }) },
    {
      method: 'PUT',
      path,
      summary: summaries.PUT,
      handle: (_request, body) => {
        const { record, added } = registry.put(body)
        return ok(viewOf(record), added ? 201 : 200)
      },
    },
  ]
}
