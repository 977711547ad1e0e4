/**
 * The content of the inbox when its page is loaded, in one answer: the answers of the requests that the page would make one
 * after the other. The page finds each by its path (`page/data/snapshot.js`), and asks for those that are missing.
 */
import * as v from 'valibot'
import { recordId } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import type { RequestContext, Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { inboxQuery } from './inbox/list.ts'

const PROJECT = '/console/projects/:project_id/'

/** The list reads its own parameters, so they are passed on as texts. */
const { limit: _, cursor: __, ...filters } = inboxQuery.entries
const texts = Object.fromEntries(Object.keys(filters).map((name) => [name, v.optional(v.string())]))

const query = v.strictObject({
  ...texts,
  /** A saved view, whose filter lies below the other parameters. */
  saved_view: v.optional(recordId),
  ticket_id: v.optional(recordId),
})

type Texts = Record<string, string | undefined>
/** Answers by path. `routes`: those of agents, of which only reads are asked. */
class Answers {
  readonly all: Record<string, unknown> = {}
  readonly #routes: ReadonlyMap<string, Route>
  readonly #context: RequestContext

  constructor(routes: ReadonlyMap<string, Route>, context: RequestContext) {
    this.#routes = routes
    this.#context = context
  }

  /** Undefined when the route refuses: then the page asks itself, and gets the refusal. */
  async ask(operation: string, params: Record<string, string> = {}, query: Texts = {}): Promise<unknown> {
    const { path, read, query: schema } = this.#routes.get(operation)!
    const pairs = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined)
    const parsed = schema ? v.safeParse(schema, Object.fromEntries(pairs)) : { success: true, output: {} }
    if (!parsed.success) return undefined
    try {
      const answer = await read!({ params, query: parsed.output, body: undefined }, this.#context)
      const place = path.slice(PROJECT.length).replace(/:(\w+)/g, (_, name: string) => params[name]!)
      this.all[nameOf(place, pairs)] = answer
      return answer
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
}

/** As the page names its requests. */
function nameOf(place: string, query: [string, string][]): string {
  return [place, ...query.map(([name, value]) => `${name}=${value}`).sort()].join(' ')
}

/** `routes`: those of agents. */
export function snapshotRoute(routes: readonly Route[]): Route {
  const known = new Map(routes.map((route) => [route.operation, route]))
  return route({
    method: 'GET',
    path: `${PROJECT}snapshot`,
    operation: 'console_read_snapshot',
    summary: 'What the inbox shows when its page is loaded: the answers of its requests by path',
    auth: 'agent',
    pool: 'exempt',
    query,
    status: 200,
    response: v.object({ answers: v.record(v.string(), v.unknown()) }),
    errors: ['NOT_FOUND'],
    async read({ query: { ticket_id, saved_view, ...filter } }, context) {
      const answers = new Answers(known, context)
      // One after the other, because a read has one connection.
      await answers.ask('console_list_definitions')
      await answers.ask('count_inbox')
      await answers.ask('list_drafts')
      await answers.ask('list_notifications', {}, { limit: '50' })
      const { data: views } = (await answers.ask('list_views')) as { data: { _id: string; filter: object }[] }
      if (views.length > 0) await answers.ask('count_views')
      const saved = views.find(({ _id }) => _id === saved_view)
      if (saved_view === undefined || saved) {
        const below = Object.entries(saved?.filter ?? {}).map(([name, value]) => [name, String(value)])
        await answers.ask('list_inbox', {}, { ...Object.fromEntries(below), ...filter, limit: '50' })
      }
      if (ticket_id !== undefined) await askThread(answers, ticket_id)
      return { answers: answers.all }
    },
  })
}

type Contact = { customer_id: string | null }

/** A ticket as a thread, its composer and its panel show it. */
async function askThread(answers: Answers, ticket_id: string): Promise<void> {
  const of = { ticket_id }
  const ticket = await answers.ask('console_get_ticket', { id: ticket_id })
  if (!ticket) return
  const { chat_user } = ticket as { chat_user: string }
  await answers.ask('console_list_ticket_timeline', { id: ticket_id }, { limit: '50', with_former: 'true' })
  const contact = (await answers.ask('console_get_contact', { id: chat_user })) as Contact | undefined
  for (const kind of ['reply', 'note']) await answers.ask('get_draft', { ...of, kind })
  await answers.ask('list_scheduled_messages_of_ticket', { id: ticket_id })
  await answers.ask('console_list_notes', {}, { ...of, limit: '5' })
  await answers.ask('console_list_appointments', {}, { chat_user, order: 'desc', limit: '10' })
  await answers.ask('console_list_tickets', {}, { chat_user, limit: '6' })
  const customer_id = contact?.customer_id
  if (!customer_id) return
  await answers.ask('console_get_customer', { id: customer_id })
  await answers.ask('console_list_memberships', {}, { customer_id })
}
