/**
 * The provider simulator: implements the providers' APIs for unmodified clients, and simulates faults on request.
 * docs/simulator.md is its manual.
 */
import { Accounts } from './accounts.ts'
import { controlError, type SimulatorRequest } from './answer.ts'
import { Control } from './control.ts'
import { emailProvider } from './email/provider.ts'
import { startSmtp } from './email/smtp.ts'
import { evolutionProvider } from './evolution/provider.ts'
import { Faults } from './faults.ts'
import { Ledger } from './ledger.ts'
import { SimulatedModels } from './models/mod.ts'
import { type SimulatorOptions, settingsFrom } from './options.ts'
import { serveOrderTool } from './order_tool.ts'
import { pagesProviders } from './pages/provider.ts'
import type { World } from './provider.ts'
import { Schedule } from './schedule.ts'
import { listen } from './server.ts'
import { telegramProvider } from './telegram/provider.ts'
import { Threads } from './threads.ts'
import { tiktokProvider } from './tiktok/provider.ts'
import { WebhookSender } from './webhook_sender.ts'
import { whatsappProvider } from './whatsapp/provider.ts'

export type { EvolutionInstance, SimulatedAccount, SimulatorOptions, TelegramBot, WhatsAppNumber } from './options.ts'

export type Simulator = {
  url: string
  port: number
  /** Port of the SMTP server, when there are mailboxes. */
  smtp_port: number | undefined
  close(): Promise<void>
}

/**
 * Starts a simulator in this process. Throws when the address is taken, the journal cannot be opened or a number is
 * incomplete. `close` cuts every connection and drops pending callbacks.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const settings = settingsFrom(options)
  const schedule = new Schedule()
  const now = options.now ?? Date.now
  const world: World = {
    settings,
    schedule,
    faults: new Faults(options.random ?? Math.random),
    ledger: new Ledger(settings.log.sent, options.journal),
    webhooks: new WebhookSender(settings.webhooks, schedule),
    accounts: new Accounts(settings.window, now),
    threads: new Threads(),
    now,
  }
  for (const account of options.accounts ?? []) world.accounts.put(account)
  const email = emailProvider(world, options.mailboxes ?? [])
  // WhatsApp last: like Graph, it answers every path.
  const providers = [
    telegramProvider(world, options.telegram ?? []),
    evolutionProvider(world, options.evolution ?? []),
    ...pagesProviders(world),
    tiktokProvider(world),
    email,
    whatsappProvider(world, options.numbers),
  ]
  const models = new SimulatedModels(now)
  const control = new Control(world, providers, models)
  const serve = (request: SimulatorRequest) => {
    const [first, ...rest] = request.segments
    if (first === '_control') return control.serve(rest.join('/'), request)
    const of_others = serveOrderTool(request) ?? models.serve(request)
    if (of_others) return of_others
    for (const provider of providers) {
      const answer = provider.serve(request)
      if (answer) return answer
    }
    return controlError(404, 'NOT_FOUND', 'No simulated provider has this path; GET /_control lists what there is.')
  }
  const server = await listen(settings.host, settings.port, schedule, serve)
  const smtp = options.mailboxes?.length ? await startSmtp(settings.host, email.smtp) : undefined
  const close = async () => {
    server.close()
    smtp?.close()
    schedule.close()
    await world.webhooks.close()
    world.ledger.close()
  }
  let closed: Promise<void> | undefined
  return {
    url: `http://${settings.host}:${server.port}`,
    port: server.port,
    smtp_port: smtp?.port,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}
