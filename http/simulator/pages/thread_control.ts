import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import type { AccountChannel, SimulatedAccount } from '../options.ts'
import type { World } from '../provider.ts'
import { isElsewhere, type ThreadHolder, threadMoveOf } from '../threads.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import { type Event, eventOf, notify } from './callbacks.ts'
import { PageError } from './errors.ts'
import { parse } from './send.ts'

type Json = Record<string, unknown>

/** Ids of apps: that of the receiver of the webhook, Meta's inbox for pages, and Meta's own agent. */
export const APP_IDS = { parley: 123_456_789_012_345, app: 263_902_037_430_900, meta_agent: 622_851_382_610_562 }

const ACTION = /^(take|release|pass|request)_thread_control$/

export function isThreadControl(edge: string): boolean {
  return ACTION.test(edge)
}

/** POST /{account}/{take,release,pass,request}_thread_control. Throws PageError. */
export function controlThread(
  world: World,
  account: SimulatedAccount,
  edge: string,
  request: SimulatorRequest,
): Answer {
  const { recipient, target_app_id } = parse(request.body)
  const person = (recipient as Json | undefined)?.id
  if (typeof person !== 'string') throw new PageError(100, { message: '(#100) The parameter recipient is required' })
  const action = ACTION.exec(edge)![1]
  const { account_id } = account
  const { threads } = world
  if (action === 'release' || action === 'pass') {
    if (isElsewhere(threads.holderOf(account_id, person)))
      throw new PageError(200, { message: '(#200) This app does not control the thread.' })
    if (action === 'pass' && target_app_id === undefined)
      throw new PageError(100, { message: '(#100) The parameter target_app_id is required' })
    threads.move(account_id, person, action === 'release' ? 'nobody' : holderOfApp(target_app_id))
  }
  if (action === 'take') threads.move(account_id, person, 'parley')
  return ok({ success: true })
}

function holderOfApp(id: unknown): ThreadHolder {
  return String(id) === String(APP_IDS.meta_agent) ? 'meta_agent' : 'app'
}

/** Another app moves the conversation, or asks for it (`request`). The receiver is told as by Meta. */
export async function moveThread(world: World, channel: AccountChannel, body: Json): Promise<Answer> {
  const account = world.accounts.choose(channel, body.account_id)
  const person = String(body.recipient)
  const timestamp = typeof body.timestamp === 'number' ? body.timestamp : world.now()
  const tell = (fields: Event) =>
    new Promise<WebhookOutcome>((resolve) =>
      notify(world, account, eventOf(account, person, timestamp, fields), `thread of ${person}`, resolve),
    )
  const { holder, note } = threadMoveOf(body)
  const metadata = note === undefined ? {} : { metadata: note }
  if (body.request === true && isElsewhere(holder)) {
    const asked = { request_thread_control: { requested_owner_app_id: String(APP_IDS[holder]), ...metadata } }
    return ok({ holder: world.threads.holderOf(account.account_id, person), webhook: await tell(asked) })
  }
  const former = world.threads.move(account.account_id, person, holder)
  const ids = { previous_owner_app_id: idOf(former), new_owner_app_id: idOf(holder), ...metadata }
  if (holder === 'parley' && former !== 'parley')
    return ok({ holder, former, webhook: await tell({ pass_thread_control: ids }) })
  if (former === 'parley' && isElsewhere(holder))
    return ok({ holder, former, webhook: await tell({ take_thread_control: ids }) })
  return ok({ holder, former, webhook: null })
}

function idOf(holder: ThreadHolder): string | null {
  return holder === 'nobody' ? null : String(APP_IDS[holder])
}
