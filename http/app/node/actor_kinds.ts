/** The kinds of actors that a node runs, each with what it works with. */
import {
  broadcastActor,
  channelActor,
  conversationActor,
  conversationWaits,
  deadLettersActor,
  erasureActor,
  exportActor,
  mailActor,
  projectActor,
  signInActor,
  subscriptionActor,
  testRunsActor,
} from '../../../actors/mod.ts'
import type { ActorKind, Log, Tracer } from '../../../runtime/mod.ts'
import type { Config } from '../settings/mod.ts'
import type { Ground } from './ground.ts'
import type { Waits } from './place.ts'
import type { Services } from './services.ts'

export function actorKinds(
  config: Config,
  waits: Waits,
  ground: Ground,
  services: Services,
  { log, tracer }: { log: Log; tracer: Tracer | undefined },
): ActorKind[] {
  const { database, blobs, product, base_url } = ground
  const { turnEnded } = ground.assistants
  const {
    providers,
    foreground,
    importer,
    media_fetcher,
    indexer,
    sender,
    bulk_rate,
    mailer,
    isVisitorHere,
    assistants,
    assistant_work,
    typing,
  } = services
  return [
    projectActor({
      database,
      webhook_schedule: config.webhook_schedule,
      base_url,
      providers,
      foreground,
      importer,
      media_fetcher,
      isVisitorHere,
      token_mails: { to: config.token_mail_to, warning_days: config.token_warning_days },
      knowledge_changed: () => indexer.wake(),
      assistantTurnEnded: turnEnded,
      ...product.projects,
    }),
    channelActor({
      database,
      providers,
      confirm_ms: waits.confirm_ms,
      max_waiting: config.channel_backlog,
      max_items: waits.channel_items,
      probe_ms: waits.probe_ms,
      tracer,
      ...product.channels,
    }),
    broadcastActor({ database, foreground, bulk_rate }),
    subscriptionActor({
      database,
      sender,
      schedule: config.webhook_schedule,
      base_url,
      tracer,
      ...product.subscriptions,
    }),
    conversationActor({
      assistants: assistant_work,
      typing,
      turnEnded,
      waits: { ...conversationWaits, ...waits.conversation },
    }),
    testRunsActor({ services: assistants.services, log }),
    mailActor({ mailer, log }),
    signInActor(),
    deadLettersActor({ log }),
    erasureActor({ database, blobs, log, ask_ms: waits.erasure_ask_ms }),
    exportActor({ database, blobs, log, directory: ground.exports_directory }),
  ]
}
