import { type Remote, startRemote } from '../servers/remote.ts'

/**
 * The target of a load process. In an HTTP path or body, `{key}` stands for the key's number and `{n}` for a number
 * that no other operation of this load process has had (seven digits).
 */
export type Target =
  | { protocol: 'lines'; port: number }
  | {
      protocol: 'http'
      port: number
      method: string
      path: string
      headers: Record<string, string>
      body?: unknown
      connections: number
    }

/** Returns the event of a keyed operation: about 300 bytes, in the shape of a stored message's status change. */
export function payloadOf(key: number): Record<string, unknown> {
  return {
    type: 'message.delivered',
    message_id: 'msg_66f2a1b07c3e4d5f6a7b8c9d',
    channel: 'whatsapp',
    chat_user: `66f2a1b07c3e4d5f6a7b${String(key).padStart(4, '0')}`,
    provider_message_id: 'wamid.HBgLMTU1NTAxMDAwMDEVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
    occurred_at: '2026-11-20T10:15:30.123Z',
    meta_data: { order: 'A-10045', campaign: 'autumn' },
  }
}

/** Starts a load process for one contestant. */
export function startLoad(target: Target): Promise<Remote> {
  return startRemote('load', import.meta.url, './main.ts', target)
}
