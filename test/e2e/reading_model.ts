/** A model that answers with what it has read: the marks (`#12`) in all messages of the person. Some of its calls fail. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { completion } from '../actors/models/model_server.ts'
import type { Owner } from '../support/mod.ts'

type Message = { role: string; content: unknown }

export type ReadingModel = {
  url: string
  /** Calls whose answer was sent whole. */
  answered: number
  failed: number
}

/** `latency_ms` and `fails` are asked for each call. */
export async function startReadingModel(
  t: Owner,
  { latency_ms, fails = () => false }: { latency_ms: () => number; fails?: () => boolean },
): Promise<ReadingModel> {
  const model: ReadingModel = { url: '', answered: 0, failed: 0 }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => void answer(Buffer.concat(pieces).toString(), response))
  })
  async function answer(body: string, response: ServerResponse): Promise<void> {
    const { messages, model: name } = JSON.parse(body) as { messages: Message[]; model: string }
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content))
    const seen = [...said.join(' ').matchAll(/#\d+/g)].map(([mark]) => mark)
    await sleep(latency_ms())
    if (fails()) {
      model.failed++
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"a fault"}}')
      return
    }
    const content = `I have read ${[...new Set(seen)].join(' ')}`
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(completion({ message: { content }, model: name, usage }), () => {
      model.answered++
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return model
}
