/** A node with a project whose records the examples of the API may name, and the operations that have these examples. */

import type { Config } from '../../../http/app/settings/mod.ts'
import { describeApi } from '../../../http/openapi/describe.ts'
import { openDatabase } from '../../../storage/mod.ts'
import { describableRoutes } from '../../support/described.ts'
import { makeTenant, startWorld } from '../fixture.ts'
import type { Judge } from '../sink.ts'
import { startToolServer } from '../tool_server.ts'
import { preparations } from './preparations.ts'

export const { operations } = describeApi(describableRoutes().filter(({ path }) => /^\/(?:admin\/)?v1\//.test(path)))

/** Starts a node for the test alone, because the examples remove records and give the node's partitions away. */
export async function startScene(t: Judge, config: Partial<Config> = {}) {
  const world = await startWorld(t, { config })
  const tenant = await makeTenant(world)
  const tools = await startToolServer(t)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  return { world, tenant, tools, database, prepared: preparations(world, tenant, tools, database) }
}
