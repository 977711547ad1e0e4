/** The work behind the routes of bulk sends, on the node that took the request. */
import { Readable } from 'node:stream'
import { type BroadcastProtocol, pickCloudChannel } from '../../../actors/mod.ts'
import { type Address, Refusal } from '../../../runtime/mod.ts'
import {
  type Broadcast,
  Channel,
  type Database,
  dropUnusedSlices,
  findBroadcast,
  listRecipients,
  prefixedId,
  readRows,
  type SliceRecipient,
  storeSlices,
  Template,
} from '../../../storage/mod.ts'
import type { Outcome } from '../../server/changes/operation.ts'
import type { Download } from '../../server/files/download.ts'
import type { RequestContext } from '../../server/route/route.ts'
import { csvLine } from './csv.ts'

export type BulkSend = {
  template_name: string
  language: string
  recipients: SliceRecipient[]
  channel_id?: string
  phone_number_id?: string
  campaign_name?: string
}

type Where = { database: Database; project_id: string }

/**
 * Stores the recipients; the project then creates the broadcast, in the commit that also keeps the answer under the
 * request's key. Recipients without a broadcast are dropped later.
 */
export async function sendBulk(where: Where, bulk: BulkSend): Promise<Outcome> {
  const { database } = where
  const { template_name, language, recipients, campaign_name = null } = bulk
  const { _id: channel_id } = await channelOf(where, bulk)
  const [template] = await readRows(database, Template, { channel_id, name: template_name, language })
  if (!template) throw new Refusal('TEMPLATE_NOT_FOUND', { details: { name: template_name, language } })
  const id = prefixedId('brd')
  await storeSlices(database, id, recipients)
  const total = recipients.length
  const change = { type: 'create_broadcast' as const, id, channel_id, template_name, language, campaign_name, total }
  return { changes: [change], answer: { record: true }, settle: () => dropUnusedSlices(database, id) }
}

/** `phone_number_id` means the same as `channel_id` for numbers of WhatsApp; other channels ignore it. */
async function channelOf({ database, project_id }: Where, { channel_id, phone_number_id }: BulkSend): Promise<Channel> {
  const channels = await readRows(database, Channel, { project_id })
  const named = channel_id && channels.find(({ _id }) => _id === channel_id)
  if (named && named.channel_type === 'whatsapp' && phone_number_id !== undefined) {
    if (named.provider_account_id !== phone_number_id) throw differentNumber()
  }
  return pickCloudChannel(channels, channel_id === undefined ? { phone_number_id } : { channel_id })
}

function differentNumber(): Refusal {
  const message = 'must be the number of channel_id; give one of the two'
  return new Refusal('VALIDATION_ERROR', {
    details: { violations: [{ path: 'phone_number_id', message, code: 'invalid_value' }] },
  })
}

export async function cancelBroadcast({ runtime, project_id, origin }: RequestContext, id: string): Promise<Outcome> {
  const address: Address<BroadcastProtocol> = `broadcast/${id}`
  const body = await runtime.ask(address, { type: 'cancel', project_id, origin }, { repeatable: true })
  return { changes: [], answer: { body } }
}

/** @throws {Refusal} BROADCAST_NOT_FOUND */
export async function broadcastOf({ database, project_id }: Where, id: string): Promise<Broadcast> {
  const found = await findBroadcast(database, project_id, id)
  if (!found) throw new Refusal('BROADCAST_NOT_FOUND')
  return found
}

const COLUMNS = [
  'index',
  'phone',
  'status',
  'message_id',
  'error_code',
  'error_message',
  'updated_at',
  'chat_user_name',
]
const PAGE = 1000

/**
 * All recipients as a CSV file. The file is built before its first byte is sent, because the answer states its length
 * (1 MB for 5000 recipients), and then sent at the pace of the reader.
 */
export async function recipientsFile(where: Where, id: string): Promise<Download> {
  await broadcastOf(where, id)
  const pieces = [Buffer.from(csvLine(COLUMNS))]
  for (let cursor: number | undefined; ; ) {
    const { data, next_cursor } = await listRecipients(where.database, id, undefined, { limit: PAGE, cursor })
    const lines = data.map(({ index, phone, status, message_id, error, updated_at, chat_user_name }) =>
      csvLine([
        index,
        phone,
        status,
        message_id,
        error?.code,
        error?.message,
        updated_at?.toISOString(),
        chat_user_name,
      ]),
    )
    pieces.push(Buffer.from(lines.join('')))
    if (next_cursor === null) break
    cursor = Number(next_cursor)
  }
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return {
    size,
    etag: null,
    content_type: 'text/csv; charset=utf-8',
    filename: `${id}.csv`,
    async open(range) {
      if (!range) return Readable.from(pieces)
      return Readable.from([Buffer.concat(pieces).subarray(range.start, range.end + 1)])
    },
  }
}
