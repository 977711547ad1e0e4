/** A page of a visitor of the web chat, over the stock client `socket.io-client`. */
import { createHmac } from 'node:crypto'
import { io, type Socket } from 'socket.io-client'
import type { Json } from '../e2e/client.ts'
import { made, type Outside, type Tenant } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'

export type Visitor = {
  token: string
  user_id: string
  name: string
  socket: Socket
  /** The live messages, in order. */
  heard: Json[]
  /** Undefined until the server has told it. */
  readonly availability: Json | undefined
  ask(name: string, question?: unknown): Promise<Json>
  write(body: string): Promise<Json>
}

export type Visiting = {
  base_url: string
  channel: string
  token?: string | undefined
  origin?: string | undefined
  auth?: object | undefined
  headers?: Record<string, string> | undefined
}

let said = 0

const SECRET = 'the secret of the visitors'

/** Makes a web chat of the tenant's project. Resolves to the id of its channel. */
export async function connectWeb({ operator }: Outside, { project_id }: Tenant, more: object = {}): Promise<string> {
  const credentials = { visitor_secret: SECRET, ...more }
  const fields = { project_id, channel_type: 'web', provider: 'cloud', name: 'Shop', credentials }
  return (await made(operator('POST', 'channels', fields)))._id
}

/** Opens a page of a visitor. Rejects with the code when the page is not let in. */
export async function visitPage(
  t: Owner,
  { base_url, channel, token, origin, auth, headers }: Visiting,
): Promise<Visitor> {
  const socket = io(base_url, {
    path: '/visitor/socket.io',
    transports: ['websocket'],
    auth: auth ?? { channel_id: channel, ...(token !== undefined && { visitor_token: token }) },
    reconnection: false,
    forceNew: true,
    extraHeaders: { ...headers, ...(origin !== undefined && { origin }) },
  })
  t.teardown(() => socket.disconnect())
  const heard: Json[] = []
  socket.on('message', (message) => heard.push(message))
  let availability: Json | undefined
  socket.on('availability', (told) => {
    availability = told
  })
  const { visitor_token, name } = await new Promise<Json>((resolve, reject) => {
    socket.on('welcome', resolve)
    socket.on('connect_error', (error) =>
      reject(new Error((error as Error & { data?: Json }).data?.code ?? error.message)),
    )
  })
  const ask = (event: string, question: unknown = {}) => socket.timeout(10_000).emitWithAck(event, question)
  return {
    token: visitor_token,
    user_id: visitor_token.split('.')[0],
    name,
    socket,
    heard,
    get availability() {
      return availability
    },
    ask,
    write: (body) => ask('say', { id: `page-said-${++said}`, type: 'text', body }),
  }
}

/** An identity token, as the server of a site makes it. */
export function identityToken(claims: object, secret: string): string {
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
