/** Watches the connection to the broker, for as long as it exists. */
import type { Log } from '../log.ts'
import type { NodePorts } from './node_options.ts'

/** Notes at the transport whether the broker is there; calls `returned` each time that it is back. */
export async function watchBroker(
  { broker, transport }: Pick<NodePorts, 'broker' | 'transport'>,
  log: Log,
  returned: () => void,
): Promise<void> {
  for await (const status of broker.status()) {
    if (status.type === 'disconnect') {
      transport.up = false
      log.warn({}, 'the broker is away; messages between actors go through the outbox alone')
    } else if (status.type === 'reconnect') {
      transport.up = true
      log.info({}, 'the broker is back')
      returned()
    }
  }
}
