import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { poll } from '../connection/poll.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine, remark } from '../terminal/terminal.ts'
import { attemptLine, type Delivery, deliveryPath } from './deliveries.ts'
import { stateOf, type Webhook, webhookPath } from './subscriptions.ts'

type Options = TokenOptions & { wait?: boolean; json?: boolean }

export function addRedeliverCommand(webhooks: Command): void {
  const command = withTokenOptions(webhooks.command('redeliver'))
    .summary('send one delivery again')
    .description(
      'Sends a delivery again, whatever its state, with a new series of attempts. With --wait it prints each ' +
        'attempt until one succeeds or the last one fails. Exit code 1 when the last one failed.',
    )
    .argument('<id>', 'the subscription (parley webhooks list)')
    .argument('<delivery_id>', 'the delivery (parley webhooks deliveries)')
    .option('--wait', 'wait until it succeeds or fails')
    .option('--json', 'print JSON')
    .action(redeliver)
  withExamples(command, [
    'parley webhooks redeliver wh_66f2a0c1d4e5f60718293a4e dlv_66f2a0c1d4e5f60718293a50',
    'parley webhooks redeliver wh_66f2a0c1d4e5f60718293a4e dlv_66f2a0c1d4e5f60718293a50 --wait',
  ])
}

async function redeliver(id: string, delivery_id: string, options: Options): Promise<void> {
  const api = connectAsProject(options)
  const path = deliveryPath(id, delivery_id)
  const before: Delivery | undefined = options.wait ? await api.call('GET', path) : undefined
  const answer = await api.call('POST', `${path}/redeliver`)
  if (!before) return options.json ? printJson(answer) : printLine(`${delivery_id} is sent again.`)
  const delivery = await waitForEnd(api, id, before, options)
  if (options.json) printJson(delivery)
  if (delivery.status !== 'success') {
    throw new CommandFailure(`It ended as ${delivery.status}: ${printable(delivery.last_error ?? 'unknown')}.`)
  }
}

/** Prints each attempt. @throws {CommandFailure} when the subscription is disabled, so that no attempt is made */
function waitForEnd(api: Api, id: string, before: Delivery, { json }: Options): Promise<Delivery> {
  let known_attempts = before.attempts
  return poll(api, async () => {
    const delivery: Delivery = await api.call('GET', deliveryPath(id, before.id))
    const news = delivery.attempt_records.filter(({ attempt }) => attempt > known_attempts)
    known_attempts = news.at(-1)?.attempt ?? known_attempts
    if (!json) for (const attempt of news) printLine(attemptLine(attempt))
    if (delivery.next_attempt_at === null) {
      if (known_attempts > before.attempts) return delivery
      if (!delivery.is_test) await mustBeActive(api, id)
    } else if (news.length > 0) remark(`The next attempt is at ${delivery.next_attempt_at}.`)
    return undefined
  })
}

async function mustBeActive(api: Api, id: string): Promise<void> {
  const webhook: Webhook = await api.call('GET', webhookPath(id))
  if (!webhook.is_active) throw new CommandFailure(`Nothing is sent to ${id} any more (${stateOf(webhook)}).`)
}
