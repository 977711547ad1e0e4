/** Versions of blocks that wait for their release. */
import * as v from 'valibot'
import { blockRecord, plainIdPattern, recordId } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import type { Block } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { type AssistantHooks, blockOf, changeAssistants } from './work.ts'

const common = {
  auth: 'token',
  scope: 'assistants:write',
  audited: true,
  params: { id: plainIdPattern },
  outside: true,
  errors: ['NOT_FOUND', 'BLOCK_CONTENT_NOT_WRITABLE', 'HELD_VERSION_NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
} as const

/** The body of a release. */
export const releaseBody = v.strictObject({
  version_id: v.optional(v.pipe(recordId, v.description('Refuses the release when another version is held'))),
})

/** The version that the block holds. @throws {Refusal} HELD_VERSION_NOT_FOUND */
export function heldIn({ held_version_id }: Block, wanted?: string): string {
  if (!held_version_id || (wanted !== undefined && wanted !== held_version_id)) {
    throw new Refusal('HELD_VERSION_NOT_FOUND')
  }
  return held_version_id
}

export function heldVersionRoutes(hooks: AssistantHooks): Route[] {
  return [
    route({
      ...common,
      errors: [...common.errors],
      method: 'POST',
      path: '/v1/blocks/:id/held-version/release',
      operation: 'release_held_version',
      summary: 'Make the version that a block holds its current one',
      body: releaseBody,
      optional_body: true,
      status: 200,
      response: v.object({ block: blockRecord }),
      async act({ params, body }, context, operation) {
        const version_id = heldIn(await blockOf(context, params.id), body.version_id)
        const change = { type: 'release_held_version' as const, id: params.id, version_id, by_operator: false }
        return changeAssistants(hooks, context, change, operation)
      },
    }),
    route({
      ...common,
      errors: [...common.errors],
      method: 'DELETE',
      path: '/v1/blocks/:id/held-version',
      operation: 'discard_held_version',
      summary: 'Hold no version of a block any more; the version stays in the history',
      status: 204,
      async act({ params }, context, operation) {
        const version_id = heldIn(await blockOf(context, params.id))
        const change = { type: 'discard_held_version' as const, id: params.id, version_id, by_operator: false }
        return changeAssistants(hooks, context, change, operation, {})
      },
    }),
  ]
}
