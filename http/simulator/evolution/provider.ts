import { ControlRefusal, ok } from '../answer.ts'
import type { ControlRoute } from '../control_route.ts'
import type { EvolutionInstance } from '../options.ts'
import type { Provider, World } from '../provider.ts'
import { registryRoutes } from '../registry_routes.ts'
import { Gateway } from './gateway.ts'
import { injectInbound } from './inbound.ts'
import { instanceRecord, STATES } from './instances.ts'
import { PHONE_MAGIC } from './magic.ts'
import { serveGateway } from './routes.ts'
import { changeState } from './state.ts'

/** A gateway that speaks Evolution API, for WhatsApp paired by QR code. */
export function evolutionProvider(world: World, instances: EvolutionInstance[]): Provider {
  const gateway = new Gateway(world, instances)
  return {
    channel: 'whatsapp_qr',
    serve: (request) => serveGateway(gateway, request),
    inbound: (body) => injectInbound(gateway, body),
    control: controlRoutes(gateway),
    describe: () => ({ instances: gateway.instances.all().map(instanceRecord) }),
  }
}

function controlRoutes(gateway: Gateway): ControlRoute[] {
  const { instances } = gateway
  return [
    ...registryRoutes('instances', instances, instanceRecord, {
      GET: 'The paired phones of the gateway.',
      PUT: 'Adds a paired phone, or changes the given fields of one (webhook_url, webhook_headers…).',
    }),
    {
      method: 'PUT',
      path: 'instances/state',
      summary: 'Ends or opens the connection of a paired phone: { state, reason?, instance? }.',
      handle: async (_request, body) => {
        const instance = instances.choose(body.instance)
        const state = STATES.find((known) => known === body.state)
        if (!state) throw new ControlRefusal(`state must be one of ${STATES.join(', ')}.`)
        const reason = typeof body.reason === 'number' ? body.reason : undefined
        const webhook = await changeState(gateway, instance, state, reason)
        return ok({ ...instanceRecord(instance), webhook: webhook ?? null })
      },
    },
    {
      method: 'GET',
      path: 'instances/magic',
      summary: 'The recipients whose number decides the outcome, on a paired phone.',
      handle: () => ok({ data: PHONE_MAGIC }),
    },
  ]
}
