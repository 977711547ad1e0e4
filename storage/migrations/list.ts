import type { MigrationObject } from '@mikro-orm/core'
import { Migration0001Runtime } from './0001_runtime.ts'
import { Migration0002Domain } from './0002_domain.ts'
import { Migration0003RateWindow } from './0003_rate_window.ts'
import { Migration0004Deliveries } from './0004_deliveries.ts'
import { Migration0005Media } from './0005_media.ts'
import { Migration0006Flows } from './0006_flows.ts'
import { Migration0007ChannelPace } from './0007_channel_pace.ts'
import { Migration0008ContactWindows } from './0008_contact_windows.ts'
import { Migration0009Broadcasts } from './0009_broadcasts.ts'
import { Migration0010Crm } from './0010_crm.ts'
import { Migration0011Search } from './0011_search.ts'
import { Migration0012DispatchBroadcast } from './0012_dispatch_broadcast.ts'
import { Migration0013ConsoleSessions } from './0013_console_sessions.ts'
import { Migration0014ContactSeparation } from './0014_contact_separation.ts'
import { Migration0016TicketAmount } from './0016_ticket_amount.ts'
import { Migration0017DispatchError } from './0017_dispatch_error.ts'
import { Migration0018EarlyNews } from './0018_early_news.ts'
import { Migration0019UnverifiedChannels } from './0019_unverified_channels.ts'
import { Migration0020VaultCanary } from './0020_vault_canary.ts'
import { Migration0021Leases } from './0021_leases.ts'
import { Migration0022DeadLetters } from './0022_dead_letters.ts'

/** Every migration in the order it is applied. The names are stored in the database: never rename one that has shipped. */
export const migrations: MigrationObject[] = [
  { name: '0001_runtime', class: Migration0001Runtime },
  { name: '0002_domain', class: Migration0002Domain },
  { name: '0003_rate_window', class: Migration0003RateWindow },
  { name: '0004_deliveries', class: Migration0004Deliveries },
  { name: '0005_media', class: Migration0005Media },
  { name: '0006_flows', class: Migration0006Flows },
  { name: '0007_channel_pace', class: Migration0007ChannelPace },
  { name: '0008_contact_windows', class: Migration0008ContactWindows },
  { name: '0009_broadcasts', class: Migration0009Broadcasts },
  { name: '0010_crm', class: Migration0010Crm },
  { name: '0011_search', class: Migration0011Search },
  { name: '0012_dispatch_broadcast', class: Migration0012DispatchBroadcast },
  { name: '0013_console_sessions', class: Migration0013ConsoleSessions },
  { name: '0014_contact_separation', class: Migration0014ContactSeparation },
  { name: '0016_ticket_amount', class: Migration0016TicketAmount },
  { name: '0017_dispatch_error', class: Migration0017DispatchError },
  { name: '0018_early_news', class: Migration0018EarlyNews },
  { name: '0019_unverified_channels', class: Migration0019UnverifiedChannels },
  { name: '0020_vault_canary', class: Migration0020VaultCanary },
  { name: '0021_leases', class: Migration0021Leases },
  { name: '0022_dead_letters', class: Migration0022DeadLetters },
]
