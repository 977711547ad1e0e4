/** The bodies of messages that a page shows, each sent to a person who reads it. */
import type { Test } from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { blocksOf } from './markdown.ts'

/** Asks for a path below `messages`; with a body, creates a message. */
type Ask = (path: string, body?: Json) => Promise<Json>

export async function sendBodies(t: Test, page: string, ask: Ask): Promise<void> {
  let earlier = ''
  for (const { language, code, line } of blocksOf(page)) {
    if (language !== 'json') continue
    // A reaction needs an existing message.
    const message = JSON.parse(code.replace(/msg_[0-9a-f]{24}/, earlier))
    const answer = await ask('', { channel: 'whatsapp', to: '+15550180000', message })
    if (!t.match(answer, { status: 'queued', type: message.type }, `line ${line}: ${JSON.stringify(answer)}`)) continue
    const ended = await eventually(`${message.type} arrives`, async () => {
      const { status, error } = await ask(`/${answer.id}`)
      return ['read', 'failed'].includes(status) && { status, error }
    })
    t.strictSame(ended, { status: 'read', error: null }, `line ${line}: ${message.type}`)
    if (message.type === 'text') earlier = answer.id
  }
}
