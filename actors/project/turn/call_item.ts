import type { Inbound } from '../../providers/mod.ts'
import type { ProjectChannel } from './state.ts'

/** An item of a provider's call, with its channel. */
export type CallItem<K extends Inbound['kind'] = Inbound['kind']> = {
  channel: ProjectChannel
  item: Extract<Inbound, { kind: K }>
}
