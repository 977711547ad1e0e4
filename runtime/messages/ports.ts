/** The ports of the engine beside its store: a broker, and a transport for messages between nodes. */

import type { Live } from '../live/live.ts'
import type { JetStreamTransport } from './jetstream_transport.ts'

export type Transport = Pick<
  JetStreamTransport,
  'up' | 'trouble' | 'start' | 'reopen' | 'heard' | 'close' | 'publish' | 'stop' | 'stats'
>
/** Announces changes to watching consoles. */
export type Announcer = Pick<Live, 'publish' | 'gather' | 'isWatched' | 'drop' | 'miss' | 'resync' | 'stop' | 'stats'>
