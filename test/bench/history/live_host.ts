/** People who write while a history is imported, as the provider posts them. An operation ends with the answer. */
import { callbackOf, signatureOf } from '../latency/bodies.ts'
import { httpClient } from '../load/http_client.ts'
import { type Issue, type Load, runLoad } from '../load/loop.ts'
import { offer } from '../servers/remote.ts'

export type LiveTarget = { port: number; channel_id: string }

let issue: Issue
/** Each message is one of its own. */
let last = 0

offer({
  target({ port, channel_id }: LiveTarget) {
    const post = httpClient(
      {
        port,
        method: 'POST',
        path: () => `/providers/whatsapp/${channel_id}`,
        headers: (_, body) => signatureOf(body),
        body: callbackOf,
      },
      64,
    )
    issue = (_, done) => post(++last, done)
  },
  run: (load: Load) => runLoad(issue, load),
})
