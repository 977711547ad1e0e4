/** The protocols of all actors, by the kind in their addresses: `turn.tell` takes only messages of the receiver's. */
import type { BroadcastProtocol } from './broadcast/protocol.ts'
import type { ChannelProtocol } from './channel/protocol.ts'
import type { ConversationProtocol } from './conversation/protocol.ts'
import type { ErasureProtocol } from './data_rights/protocol.ts'
import type { MailProtocol } from './mail/actor.ts'
import type { ProjectProtocol } from './project/protocol.ts'
import type { SubscriptionProtocol } from './subscription/protocol.ts'
import type { TestRunsProtocol } from './test_runs/protocol.ts'

declare module '../runtime/actor/actor.ts' {
  interface Protocols {
    broadcast: BroadcastProtocol
    channel: ChannelProtocol
    conversation: ConversationProtocol
    data_erasure: ErasureProtocol
    mail: MailProtocol
    project: ProjectProtocol
    subscription: SubscriptionProtocol
    test_runs: TestRunsProtocol
  }
}
