/** Asks over bare NATS. The requests are made once, and the answers are not read. */
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { type Load, runLoad } from '../load/loop.ts'
import { payloadOf } from '../load/target.ts'
import { offer } from '../servers/remote.ts'

const QUESTION = JSON.stringify(payloadOf(0))

let nats: NatsConnection

offer({
  async start(url: string) {
    nats = await connect({ servers: url })
  },
  run: (load: Load) =>
    runLoad((key, done) => {
      nats.request(`bench.ask.${key}`, QUESTION, { timeout: 10_000 }).then(
        ({ data }) => done(data.length > 0),
        () => done(false),
      )
    }, load),
})
