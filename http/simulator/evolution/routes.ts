import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import { answerAs, behaveAs } from '../behave.ts'
import type { EvolutionInstance } from '../options.ts'
import { DIALECT, GatewayError, requires } from './errors.ts'
import type { Gateway, Json } from './gateway.ts'
import { parse, postMessage } from './send.ts'
import { changeState } from './state.ts'

const ROOTS = ['message', 'instance', 'webhook', 'chat']

/** `/{root}/{what}/{instance}`. Undefined for any other path. */
export function serveGateway(gateway: Gateway, request: SimulatorRequest): Answer | undefined {
  const [root = '', what = '', name = ''] = request.segments
  if (!ROOTS.includes(root)) return undefined
  return answerAs(DIALECT, () => {
    const instance = gateway.instances.get(name)
    if (!instance) throw new GatewayError(404, [`The "${name}" instance does not exist`])
    if (request.apikey !== instance.api_key) throw new GatewayError(401, 'Unauthorized')
    if (root === 'message' && request.method === 'POST') return postMessage(gateway, instance, what, request)
    const route = ROUTES[`${request.method} ${root}/${what}`]
    if (!route) throw new GatewayError(404, [`Cannot ${request.method} /${root}/${what}/${name}`])
    const { world } = gateway
    const subject = { channel: 'whatsapp_qr', operation: what, phone_number_id: instance.instance }
    return behaveAs(DIALECT, world.faults.apply(subject), world.settings.latency_ms, () =>
      route(gateway, instance, request),
    )
  })
}

type Route = (gateway: Gateway, instance: EvolutionInstance, request: SimulatorRequest) => Answer

const ROUTES: Record<string, Route> = {
  'GET instance/connectionState': (_, { instance: instanceName, state }) => ok({ instance: { instanceName, state } }),
  'GET instance/connect': (gateway, instance) => {
    if (instance.state === 'open') return ok({ instance: { instanceName: instance.instance, state: 'open' } })
    const qrcode = {
      instance: instance.instance,
      pairingCode: null,
      code: '2@simulated',
      base64: 'data:image/png;base64,',
    }
    void gateway.tell(instance, 'qrcode.updated', { qrcode })
    return ok({ pairingCode: null, code: qrcode.code, base64: qrcode.base64, count: 1 })
  },
  'DELETE instance/logout': (gateway, instance) => {
    if (instance.state === 'close')
      throw new GatewayError(400, [`The "${instance.instance}" instance is not connected`])
    void changeState(gateway, instance, 'close', 401)
    return ok({ status: 'SUCCESS', error: false, response: { message: 'Instance logged out' } })
  },
  'POST webhook/set': (_, instance, { body }) => {
    const { webhook } = parse(body)
    if (typeof webhook !== 'object' || webhook === null) throw requires('webhook')
    const { enabled, url, headers } = webhook as Json
    if (typeof url !== 'string' || !/^https?:\/\/[^\s/]/.test(url))
      throw new GatewayError(400, ['Invalid "url" property'])
    instance.webhook_url = enabled === false ? undefined : url
    instance.webhook_headers = (headers ?? undefined) as Record<string, string> | undefined
    return ok(webhookOf(instance), 201)
  },
  'GET webhook/find': (_, instance) => ok(webhookOf(instance)),
  'POST chat/getBase64FromMediaMessage': (gateway, _, { body }) => {
    const { message } = parse(body) as { message?: { key?: { id?: unknown } } }
    const file = gateway.file(String(message?.key?.id))
    if (!file) throw new GatewayError(400, ['Message not found'])
    const { mimetype, filename: fileName, data: base64 } = file
    return ok({ mediaType: `${mimetype.split('/')[0]}Message`, fileName, mimetype, base64, buffer: null }, 201)
  },
}

function webhookOf({ instance, webhook_url, webhook_headers }: EvolutionInstance): Json {
  return {
    id: `webhook-of-${instance}`,
    url: webhook_url ?? '',
    headers: webhook_headers ?? null,
    enabled: Boolean(webhook_url),
    events: [],
    webhookByEvents: false,
    webhookBase64: false,
  }
}
