/** Accounts of Meta's platform for pages, and the simulator's terms for them. */
import { createHmac } from 'node:crypto'
import type { Credentials, Provider } from '../../../actors/providers/provider.ts'
import type { InboundCase, Suite } from './conformance.ts'
import type { SimulatedSide } from './simulated.ts'

const SECRETS = { access_token: 'EAApage', app_secret: 'a-secret-of-the-app', verify_token: 'a-token-to-verify' }

export function pageSide(channel: 'instagram' | 'messenger', provider: Provider): SimulatedSide {
  const credentials = { account_id: channel === 'instagram' ? '17841400008460056' : '682498302938465', ...SECRETS }
  return {
    channel,
    provider,
    credentials,
    accounts: (webhook_url) => ({ accounts: [{ channel, ...credentials, webhook_url }] }),
    errors: { auth: { code: 190 }, rate: { code: 613 }, permanent: { code: 551 } },
  }
}

export function signMeta(raw: string, { app_secret = '' }: Credentials): string {
  return `sha256=${createHmac('sha256', app_secret).update(raw).digest('hex')}`
}

export const PAGE_FAULTS: Suite['faults'] = {
  auth: { code: '190' },
  rate: { code: '613', scope: 'channel', says_when: true },
  permanent: { code: '551' },
  garbage: { code: 'http_502' },
  reset_after: { code: 'connection_reset' },
  hang: {},
}

const url = 'https://cdn.example.com/file'

export const PAGE_INBOUND: InboundCase[] = [
  { name: 'text', message: 'Hi ☀', type: 'text', expect: { body: 'Hi ☀' } },
  {
    name: 'an answer to a message',
    message: 'That one',
    context: { message_id: 'm_quoted' },
    type: 'text',
    expect: { body: 'That one' },
  },
  ...['image', 'video', 'audio'].map((type) => ({
    name: type,
    message: { attachments: [{ type, payload: { url } }] },
    type,
    expect: { link: url },
    file: url,
  })),
  {
    name: 'sticker',
    message: { attachments: [{ type: 'image', payload: { url, sticker_id: 369239263222822 } }] },
    type: 'sticker',
    expect: { link: url, sticker_id: 369239263222822 },
    file: url,
  },
  {
    name: 'share',
    message: { attachments: [{ type: 'share', payload: { url } }] },
    type: 'share',
    expect: { link: url },
  },
  {
    name: 'quick reply',
    message: { text: 'Yes', quick_reply: { payload: 'yes' } },
    type: 'interactive',
    expect: { interactive_type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
  },
  {
    name: 'quick reply of a list',
    message: { text: 'Friday', quick_reply: { payload: 'list_reply:fri' } },
    type: 'interactive',
    expect: { interactive_type: 'list_reply', list_reply: { id: 'fri', title: 'Friday' } },
  },
  {
    name: 'postback',
    message: { postback: { title: 'Start', payload: 'GET_STARTED' } },
    type: 'interactive',
    expect: { interactive_type: 'button_reply', button_reply: { id: 'GET_STARTED', title: 'Start' } },
  },
  {
    name: 'reaction',
    message: { reaction: { mid: 'm_reacted', action: 'react', reaction: 'love', emoji: '❤' } },
    type: 'reaction',
    expect: { message_id: 'm_reacted', emoji: '❤' },
  },
  { name: 'something unsupported', message: { is_unsupported: true }, type: 'unsupported' },
]
