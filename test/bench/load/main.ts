/** The load process: it opens its connections once, then runs the rounds that the parent orders. */
import { offer } from '../servers/remote.ts'
import { httpClient } from './http_client.ts'
import { lineClient } from './line_client.ts'
import { type Issue, type Load, runLoad } from './loop.ts'
import { payloadOf, type Target } from './target.ts'

let issue: Issue

offer({
  async start(target: Target) {
    if (target.protocol === 'lines') issue = await lineClient(target.port, JSON.stringify(payloadOf(0)))
    else {
      const { port, method, path, headers, body } = target
      const fill = (text: string, key: number) =>
        text.replaceAll('{key}', String(key)).replaceAll('{n}', String(serial++))
      const requests = { port, method, headers, path: (key: number) => fill(path, key) }
      const template = body === undefined ? undefined : JSON.stringify(body)
      issue = httpClient(
        template === undefined ? requests : { ...requests, body: (key) => fill(template, key) },
        target.connections,
      )
    }
  },
  run: (load: Load) => runLoad(issue, load),
})

let serial = 1_000_000
