import { type Answer, ok, type SimulatorRequest } from '../../answer.ts'
import type { WhatsAppNumber } from '../../options.ts'
import type { Account } from '../account.ts'
import { verifyCallback } from '../callbacks.ts'
import { syncPhone } from '../history.ts'
import { unknownObject } from '../numbers.ts'
import { behave } from '../requests/behave.ts'
import type { Json } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import { parseJson } from '../requests/request_body.ts'
import { controlThread } from '../thread_control.ts'
import { pick } from './graph_list.ts'

/** The routes of a business number other than its messages. Throws GraphError. */
export function numberRoute(
  account: Account,
  number: WhatsAppNumber,
  edge: string,
  request: SimulatorRequest,
): Answer | Promise<Answer> {
  const { world, media } = account
  const { phone_number_id } = number
  const route = `${request.method} ${edge}`
  const operation = edge === 'media' ? 'media' : 'numbers'
  const behaviour = world.faults.apply({ channel: 'whatsapp', operation, phone_number_id })
  const respond = (run: () => Answer) => behave(behaviour, world.settings.latency_ms, run)
  if (route === 'POST media')
    return respond(() =>
      ok({ id: media.upload(phone_number_id, request.body, request.content_type, request.query).id }),
    )
  if (route === 'POST thread_control') return respond(() => controlThread(account, number, request))
  if (route === 'GET ') return respond(() => ok(pick(numberRecord(number), request.query.get('fields'))))
  if (route === 'POST smb_app_data') return respond(() => syncPhone(account, number, parseJson(request.body) as Json))
  if (route === 'POST ')
    return overrideCallback(account, [number], parseJson(request.body).webhook_configuration as Json)
  if (['POST register', 'POST deregister', 'POST whatsapp_business_profile', 'POST settings'].includes(route))
    return respond(() => ok({ success: true }))
  if (route === 'GET whatsapp_business_profile')
    return respond(() => ok({ data: [{ messaging_product: 'whatsapp', about: 'A simulated business', websites: [] }] }))
  if (edge) throw new GraphError(2500, { message: `Unknown path components: /${edge}` })
  throw unknownObject(phone_number_id, request.method)
}

export function numberRecord(number: WhatsAppNumber): Json {
  return {
    id: number.phone_number_id,
    verified_name: number.verified_name ?? 'Simulated Business',
    display_phone_number: number.display_phone_number,
    code_verification_status: 'VERIFIED',
    quality_rating: 'GREEN',
    platform_type: 'CLOUD_API',
    status: 'CONNECTED',
    name_status: 'APPROVED',
    account_mode: 'LIVE',
    throughput: { level: 'STANDARD' },
    webhook_configuration: number.webhook_url ? { application: number.webhook_url } : {},
  }
}

/** Sets another callback URL for some numbers once it has passed the handshake. Throws GraphError 2200. */
export async function overrideCallback(
  account: Account,
  numbers: WhatsAppNumber[],
  configuration: Json | undefined,
): Promise<Answer> {
  const url = configuration?.override_callback_uri
  const verify_token = configuration?.verify_token
  if (url === undefined || url === '') return ok({ success: true })
  if (typeof url !== 'string' || typeof verify_token !== 'string')
    throw new GraphError(100, { details: 'override_callback_uri and verify_token must be strings.' })
  const problem = await verifyCallback(url, verify_token, account.world.settings.webhooks.timeout_ms)
  if (problem)
    throw new GraphError(2200, {
      message: `(#2200) Callback verification failed with the following errors: ${problem}`,
    })
  for (const { phone_number_id } of numbers) account.numbers.put({ phone_number_id, webhook_url: url, verify_token })
  return ok({ success: true })
}
