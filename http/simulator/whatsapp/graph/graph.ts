import { type Answer, ok, type SimulatorRequest } from '../../answer.ts'
import type { WhatsAppNumber } from '../../options.ts'
import type { Account } from '../account.ts'
import type { Media } from '../media.ts'
import { postMessages } from '../messages/send.ts'
import { checkProof, unknownObject } from '../numbers.ts'
import { answerOf, behave } from '../requests/behave.ts'
import type { Json } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import { accountRoute, flowRoute, templateRoute } from './graph_account.ts'
import { baseUrl, pick } from './graph_list.ts'
import { numberRoute } from './graph_number.ts'
import { uploadRoute } from './graph_uploads.ts'

const VERSION = /^v\d+(\.\d+)?$/

/** Routes a Graph request: `/{version?}/{object}/{edge?}`. As in Graph, the kind of the object determines its routes. */
export function serveGraph(account: Account, request: SimulatorRequest): Answer | Promise<Answer> | undefined {
  const segments = VERSION.test(request.segments[0] ?? '') ? request.segments.slice(1) : request.segments
  const [id, edge = '', rest] = segments
  if (!id) return undefined
  if (id === 'whatsapp_business' && edge === 'attachments') return answerOf(() => download(account, request))
  const answered = answerOrPromise(() => {
    const token = account.numbers.authenticate(request.authorization)
    const number = account.numbers.get(id)
    if (number) {
      if (number.access_token !== token) throw unknownObject(id, request.method)
      checkProof(number, request.query.get('appsecret_proof'))
      if (edge === 'messages' && request.method === 'POST') return postMessages(account, number, request)
      return numberRoute(account, number, edge, request)
    }
    const owned = account.numbers.ofAccount(id)
    if (owned.length > 0) {
      if (!owned.some((each) => each.access_token === token)) throw unknownObject(id, request.method)
      return accountRoute(account, owned, id, [edge, rest ?? ''], request)
    }
    const mine = (business_account_id: string) =>
      account.numbers.ofAccount(business_account_id).some((each) => each.access_token === token)
    const flow = account.flows.byId(id)
    if (flow && (flow.business_account_id === '' || mine(flow.business_account_id)))
      return flowRoute(account, flow, edge, request)
    const template = account.templates.byId(id)
    if (template && mine(template.business_account_id)) return templateRoute(account, template, request)
    const upload = uploadRoute(account, token, [id, edge], request)
    if (upload) return upload
    const media = account.media.find(id)
    const holder = media && account.numbers.get(media.phone_number_id)
    if (media && holder?.access_token === token) return mediaRoute(account, media, holder, request)
    throw unknownObject(id, request.method)
  })
  return answered
}

function answerOrPromise(run: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
  let pending: Promise<Answer> | undefined
  const answer = answerOf(() => {
    const result = run()
    if (!(result instanceof Promise)) return result
    pending = result
    return { status: 0 }
  })
  if (!pending) return answer
  return pending.catch((error: unknown) =>
    answerOf(() => {
      throw error
    }),
  )
}

function mediaRoute(account: Account, media: Media, number: WhatsAppNumber, request: SimulatorRequest): Answer {
  const { world } = account
  const { phone_number_id } = number
  const asked = request.query.get('phone_number_id')
  if (asked && asked !== phone_number_id) throw unknownObject(media.id, request.method)
  const behaviour = world.faults.apply({ channel: 'whatsapp', operation: 'media', phone_number_id })
  return behave(behaviour, world.settings.latency_ms, () => {
    if (request.method === 'DELETE') {
      account.media.remove(media.id)
      return ok({ success: true })
    }
    if (request.method !== 'GET') throw unknownObject(media.id, request.method)
    const record: Json = {
      messaging_product: 'whatsapp',
      url: account.links.create(baseUrl(request), media.id),
      mime_type: media.mime_type,
      sha256: media.sha256,
      file_size: media.bytes.byteLength,
      id: media.id,
    }
    return ok(pick(record, request.query.get('fields')))
  })
}

/** Serves the file itself. Like Meta's download host it requires the bearer token, and answers 404 for expired links. */
function download(account: Account, request: SimulatorRequest): Answer {
  const token = account.numbers.authenticate(request.authorization)
  const id = account.links.resolve(request.query)
  const media = id === undefined ? undefined : account.media.find(id)
  if (!media || account.numbers.get(media.phone_number_id)?.access_token !== token)
    throw new GraphError(100, { status: 404, message: 'The media link is wrong or has expired; ask for a new one.' })
  const { world } = account
  const behaviour = world.faults.apply({
    channel: 'whatsapp',
    operation: 'download',
    phone_number_id: media.phone_number_id,
  })
  return behave(behaviour, world.settings.latency_ms, () => ({
    status: 200,
    content_type: media.mime_type,
    body: media.bytes,
  }))
}
