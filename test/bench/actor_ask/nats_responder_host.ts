/** Answers bare NATS requests with bytes made once; a subscription for each key, as a node has one for each partition. */
import { connect } from '@nats-io/transport-node'
import { payloadOf } from '../load/target.ts'
import { offer } from '../servers/remote.ts'

const ANSWER = JSON.stringify(payloadOf(1))

offer({
  async start(url: string) {
    const nats = await connect({ servers: url })
    for (let key = 0; key < 64; key++) {
      nats.subscribe(`bench.ask.${key}`, { callback: (error, request) => void (error ?? request.respond(ANSWER)) })
    }
    await nats.flush()
  },
})
