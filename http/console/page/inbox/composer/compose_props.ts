import type { ThreadProps } from '../thread/thread_props.ts'
import type { windowOf } from './channel_rules.ts'
import type { Compose } from './compose.ts'

export type ReplyWindow = ReturnType<typeof windowOf>

/** Props of the composer's parts. */
export type ComposeProps = Omit<ThreadProps, 'console'> & { compose: Compose }
