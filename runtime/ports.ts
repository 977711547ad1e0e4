/** What the engine needs of the world beside its store: a broker, and a road for what is told between nodes. */
import type { Live } from './live/live.ts'
import type { Road } from './road.ts'

export type Transport = Pick<Road, 'up' | 'start' | 'reopen' | 'heard' | 'close' | 'publish' | 'stop' | 'stats'>
/** Announces changes to consoles that watch. */
export type Announcer = Pick<Live, 'say' | 'isWatched' | 'tear' | 'stop' | 'stats'>
