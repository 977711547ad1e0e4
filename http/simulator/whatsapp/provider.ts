import { ControlRefusal, ok } from '../answer.ts'
import type { ControlRoute } from '../control_route.ts'
import type { WhatsAppNumber } from '../options.ts'
import type { Provider, World } from '../provider.ts'
import { registryRoutes } from '../registry_routes.ts'
import { type Account, openAccount } from './account.ts'
import { verifyCallback } from './callbacks.ts'
import { serveGraph } from './graph/graph.ts'
import { announceTemplate, moveTemplate, rateTemplate } from './graph/graph_account.ts'
import { injectHistory } from './history.ts'
import { MAGIC_RECIPIENTS } from './magic.ts'
import { chooseNumber, identify, injectInbound } from './messages/inbound.ts'
import { injectStatus } from './messages/inject_status.ts'
import type { Template } from './templates/template.ts'
import { moveThread } from './thread_control.ts'

/** The WhatsApp Cloud API. */
export function whatsappProvider(world: World, numbers: WhatsAppNumber[]): Provider {
  const account = openAccount(world, numbers)
  return {
    channel: 'whatsapp',
    serve: (request) => serveGraph(account, request),
    inbound: (body) => injectInbound(account, body),
    thread: (body) =>
      moveThread(
        account,
        chooseNumber(account, body.phone_number_id),
        identify({ from: body.recipient }, account.people).person,
        body,
      ),
    control: controlRoutes(account),
    describe: () => ({ numbers: account.numbers.all().map(numberRecord) }),
  }
}

/** A number without its secrets. */
function numberRecord({ access_token: _token, app_secret: _secret, verify_token: _verify, ...number }: WhatsAppNumber) {
  return number
}

function controlRoutes(account: Account): ControlRoute[] {
  const { numbers, windows, templates, world, people } = account
  return [
    ...registryRoutes('numbers', numbers, numberRecord, {
      GET: 'The business numbers.',
      PUT: 'Adds a number, or changes the given fields of one (webhook_url, access_token…).',
    }),
    {
      method: 'POST',
      path: 'verify',
      summary: "Makes Meta's GET handshake with the webhook of a number.",
      handle: async (_request, body) => {
        const number = body.phone_number_id === undefined ? numbers.all()[0] : numbers.get(String(body.phone_number_id))
        if (!number?.webhook_url)
          throw new ControlRefusal('There is no such number, or it has no webhook_url.', 409, 'NO_WEBHOOK')
        const problem = await verifyCallback(
          number.webhook_url,
          number.verify_token,
          world.settings.webhooks.timeout_ms,
        )
        return ok({ verified: problem === undefined, problem: problem ?? null })
      },
    },
    {
      method: 'POST',
      path: 'statuses',
      summary: 'Reports a status of an accepted message: { message_id, status, code? }.',
      handle: (_request, body) => injectStatus(account, body),
    },
    {
      method: 'POST',
      path: 'history',
      summary:
        'The phone of a number tells its history: { people?, messages?, phone_number_id? }, or { declined: true }.',
      handle: (_request, body) => injectHistory(account, body),
    },
    {
      method: 'GET',
      path: 'people',
      summary: 'The people whose both ids are told together.',
      handle: () => ok({ data: people.all() }),
    },
    {
      method: 'PUT',
      path: 'people',
      summary: 'Answers and statuses name both ids of a person from now on: { phone, user_id }.',
      handle: (_request, body) => ok(people.put(body)),
    },
    {
      method: 'PUT',
      path: 'windows',
      summary: 'Opens or closes the 24-hour window of a person: { recipient, open, phone_number_id? }.',
      handle: (_request, body) => {
        const recipient = String(body.recipient ?? '').replace(/^\+/, '')
        if (!recipient || typeof body.open !== 'boolean')
          throw new ControlRefusal('windows needs recipient (a phone number or user id) and open (true or false).')
        for (const { phone_number_id } of numbers.all()) {
          if (body.phone_number_id !== undefined && body.phone_number_id !== phone_number_id) continue
          if (body.open) windows.open(phone_number_id, recipient)
          else windows.shut(phone_number_id, recipient)
        }
        return ok({ recipient, open: body.open })
      },
    },
    {
      method: 'PUT',
      path: 'templates',
      summary:
        'Changes a template and tells its webhooks: { name, language, status? or quality? or category? or next_category?, business_account_id? }.',
      handle: (_request, body) => {
        const business_account_id = String(body.business_account_id ?? numbers.all()[0]?.business_account_id)
        const template = templates.find(business_account_id, String(body.name), String(body.language))
        if (!template) throw new ControlRefusal('There is no template of this name in this language.', 404, 'NOT_FOUND')
        const [change, word] = Object.entries(body).find(([name]) => Object.hasOwn(TEMPLATE_CHANGES, name)) ?? []
        if (change === undefined || typeof word !== 'string')
          throw new ControlRefusal('status is missing, e.g. "PAUSED"; or quality, category or next_category.')
        TEMPLATE_CHANGES[change]!(account, template, word.toUpperCase())
        return ok(template)
      },
    },
    {
      method: 'GET',
      path: 'uploads',
      summary: 'The latest files of the resumable upload: { handle, type, length, sha256 }.',
      handle: () => ok({ data: account.uploads.all() }),
    },
    {
      method: 'GET',
      path: 'reads',
      summary: 'The latest messages that clients marked as read.',
      handle: () => ok({ data: account.reads }),
    },
    {
      method: 'GET',
      path: 'magic',
      summary: 'The recipients whose number decides the outcome.',
      handle: () => ok({ data: MAGIC_RECIPIENTS }),
    },
  ]
}

const TEMPLATE_CHANGES: Record<string, (account: Account, template: Template, word: string) => void> = {
  status: (account, template, status) => {
    template.status = status
    template.rejected_reason = status === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE'
    announceTemplate(account, template)
  },
  quality: rateTemplate,
  category: (account, template, category) => moveTemplate(account, template, category, false),
  next_category: (account, template, category) => moveTemplate(account, template, category, true),
}
