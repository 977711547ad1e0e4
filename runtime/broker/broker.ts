/** The broker as the engine uses it: messages may be lost, repeated or late. */
import type { NatsConnection } from '@nats-io/transport-node'

export type Broker = Pick<
  NatsConnection,
  'publish' | 'subscribe' | 'isClosed' | 'info' | 'flush' | 'reconnect' | 'request' | 'status' | 'close'
>
