import type { Inbound } from '../../providers/mod.ts'
import type { ProjectChannel } from './state.ts'

/** An item that the provider said, and the channel it is about. */
export type Said<K extends Inbound['kind'] = Inbound['kind']> = {
  channel: ProjectChannel
  item: Extract<Inbound, { kind: K }>
}
