/**
 * Fastify with the least that the route needs: the token looked up by its hash, three rate windows, the headers for
 * them, and a body serialised from objects. Everything is in the memory of this process and warm.
 */
import { createHash, randomUUID } from 'node:crypto'
import fastify, { type FastifyRequest } from 'fastify'
import { offer } from '../servers/remote.ts'
import type { Recorded } from './recorded.ts'

const WINDOWS = { minute: 60, hour: 3600, day: 86_400 }
const LIMIT = 1_000_000_000
const UNAUTHORIZED = { message: 'Unauthorized', error: 'Unauthorized', statusCode: 401 }

type Identity = { project_id: string; me: unknown }
type Counter = { count: number; ends_at: number }

const identities = new Map<string, Identity>()
const counters = new Map<string, Counter>()
let port: number

offer({
  async start({ recorded, path, token }: { recorded: Recorded; path: string; token: string }) {
    const me = JSON.parse(recorded.body)
    identities.set(hashOf(token), { project_id: me.project?.id ?? 'project', me })
    const app = fastify()
    const decorated = app.decorateRequest('identity', null)
    decorated.addHook('onRequest', (request, reply, done) => {
      reply.header('X-Request-Id', randomUUID())
      const identity = identityOf(request)
      if (!identity) return void reply.code(401).send(UNAUTHORIZED)
      const now = Date.now()
      for (const [window, seconds] of Object.entries(WINDOWS)) {
        const counter = counterOf(`${identity.project_id}:${window}`, seconds, now)
        if (counter.count >= LIMIT)
          return void reply.code(429).send({ error: { code: 'THROTTLED', message: 'Too many' } })
        counter.count++
        reply.header(`X-RateLimit-Limit-${window}`, LIMIT)
        reply.header(`X-RateLimit-Remaining-${window}`, LIMIT - counter.count)
        reply.header(`X-RateLimit-Reset-${window}`, Math.ceil((counter.ends_at - now) / 1000))
      }
      request.setDecorator('identity', identity)
      done()
    })
    const schema = { response: { 200: schemaOf(me) } }
    app.get(path, { schema }, (request, reply) => reply.send(request.getDecorator<Identity>('identity').me))
    port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  },
  port: () => port,
})

function identityOf(request: FastifyRequest): Identity | undefined {
  const header = request.headers.authorization
  return header?.startsWith('Bearer ') ? identities.get(hashOf(header.slice(7))) : undefined
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function counterOf(name: string, seconds: number, now: number): Counter {
  const known = counters.get(name)
  if (known && known.ends_at > now) return known
  const fresh = { count: 0, ends_at: now + seconds * 1000 }
  counters.set(name, fresh)
  return fresh
}

/** Returns a JSON Schema of exactly this value, so that Fastify serialises with a compiled function. */
function schemaOf(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? schemaOf(value[0]) : {} }
  if (value === null) return { type: 'string', nullable: true }
  if (typeof value !== 'object') return { type: typeof value }
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(value).map(([key, of]) => [key, schemaOf(of)])),
  }
}
