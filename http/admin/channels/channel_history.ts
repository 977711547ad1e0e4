/** The history of a phone that an account is paired with: asked for once, then imported by the project. */
import * as v from 'valibot'
import { historyImportRecord, type Providers, toHistoryImportRecord } from '../../../actors/mod.ts'
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import { Channel, credentialsOf, type Database, findHistoryImport } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { flag } from '../fields.ts'
import { operate } from '../operate.ts'
import { operatorRoute } from '../operator_route.ts'
import { findRecord } from '../records.ts'

export const channelHistoryRoutes = (providers: Providers): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/channels/:id/history',
    operation: 'request_channel_history',
    example: { body: { webhooks: false } },
    summary: 'Ask WhatsApp for the messages and the address book of the paired phone; once for each pairing',
    status: 201,
    body: v.strictObject({
      webhooks: v.optional(
        v.pipe(flag, v.description('Imported messages and contacts emit events, too; by default they emit none')),
        false,
      ),
    }),
    response: historyImportRecord,
    errors: [
      'NOT_FOUND',
      'OPERATION_NOT_SUPPORTED_FOR_CHANNEL',
      'CHANNEL_NOT_CONNECTED',
      'HISTORY_ALREADY_REQUESTED',
      'PROVIDER_REFUSED',
    ],
    async change({ params, body: { webhooks } }, context) {
      const { database, runtime, origin } = context
      const channel = await findRecord(database, Channel, params.id)
      const history = providers.of(channel)?.history
      if (!history) {
        throw new Refusal('OPERATION_NOT_SUPPORTED_FOR_CHANNEL', {
          message: `A ${channel.channel_type} channel of provider ${channel.provider} has no history.`,
        })
      }
      if (providers.is_quiet)
        throw new Unavailable('This cluster is quiet, so no provider is asked: run `parley resume` first.')
      const { _id: channel_id, project_id } = channel
      const begun = await operate(context, project_id, {
        type: 'begin_history_import',
        channel_id,
        webhooks,
      })
      if (begun.replayed) return show(database, channel_id)
      const { messages, names } = await history.request(credentialsOf(database, channel))
      const import_id = begun.body._id
      const failures = { messages: messages && said(messages), names: names && said(names) }
      const end = { type: 'end_history_request', import_id, ...failures } as const
      await operate({ runtime, origin, key: undefined }, project_id, end, { repeatable: true })
      if (messages?.kind === 'disconnect') {
        const message = `The provider does not take this channel's credentials: ${messages.message}`
        throw new Refusal('CHANNEL_NOT_CONNECTED', { message, details: { provider: said(messages) } })
      }
      if (messages?.kind === 'refuse') {
        throw new Refusal('PROVIDER_REFUSED', { message: messages.message, details: { provider: said(messages) } })
      }
      if (messages) throw new Unavailable(`The provider did not answer: ${messages.message}`, messages.retry_after_s)
      return show(database, channel_id)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/channels/:id/history',
    operation: 'get_channel_history',
    summary: 'Get how far the import of the history of the paired phone has come',
    status: 200,
    response: historyImportRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      await findRecord(database, Channel, params.id)
      return show(database, params.id)
    },
  }),
]

const said = ({ code, message }: { code: string; message: string }) => ({ code, message })

/** @throws {Refusal} NOT_FOUND when no history was asked for, and none came */
async function show(database: Database, channel_id: string) {
  const row = await findHistoryImport(database, channel_id)
  if (!row) throw new Refusal('NOT_FOUND', { message: 'The history of this channel was not asked for yet.' })
  return toHistoryImportRecord(row)
}
