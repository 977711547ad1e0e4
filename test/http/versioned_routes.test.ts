/** A response that shows a record with a version carries the version as its ETag. */
import t from 'tap'
import type * as v from 'valibot'
import { allRoutes } from '../support/hostile/routes.ts'

type Schema = v.GenericSchema & { entries?: Record<string, Schema> }

/** True when the response is the record, or has it as a member. Records of lists have no ETag. */
function showsVersion(response: Schema | undefined): boolean {
  const members = Object.values(response?.entries ?? {})
  return [response, ...members].some((schema) => schema?.entries?.version !== undefined)
}

t.test('every route whose response shows a version is versioned, and no other', async (t) => {
  const routes = allRoutes()
  const shown = routes.filter(({ response }) => showsVersion(response as Schema | undefined))
  t.ok(shown.length > 0)
  for (const route of routes) {
    const is_versioned = route.versioned !== undefined
    t.equal(is_versioned, shown.includes(route), `${route.method} ${route.path}`)
  }
})
