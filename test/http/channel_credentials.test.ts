import t from 'tap'
import { accountOf, credentialViolations } from '../../http/admin/channels/channel_credentials.ts'

const bot = { bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', webhook_secret: 'a-secret_token' }
const phone = { api_base_url: 'https://gateway.example.com', instance: 'shop phone', api_key: 'k', webhook_secret: 's' }

t.test('the credentials of a bot and of a paired phone are complete, and have no other field', async (t) => {
  const paths = (channel_type: string, provider: string, credentials: unknown) =>
    credentialViolations(channel_type, provider, credentials)
      .map(({ path }) => path)
      .sort()
  const cases: [string, string, object, string[]][] = [
    ['telegram', 'cloud', bot, []],
    ['telegram', 'simulator', { ...bot, api_base_url: 'http://127.0.0.1:9100' }, []],
    ['telegram', 'cloud', {}, ['credentials.bot_token', 'credentials.webhook_secret']],
    ['telegram', 'cloud', { ...bot, bot_token: 'x' }, ['credentials.bot_token']],
    ['telegram', 'cloud', { ...bot, webhook_secret: 'not allowed by Telegram' }, ['credentials.webhook_secret']],
    ['telegram', 'cloud', { ...bot, access_token: 'x' }, ['credentials.access_token']],
    ['whatsapp', 'qr', phone, []],
    ['whatsapp', 'qr', { ...phone, instance: 'a/b' }, ['credentials.instance']],
    ['whatsapp', 'qr', { ...phone, api_base_url: 'ftp://x' }, ['credentials.api_base_url']],
    ['whatsapp', 'qr', { ...phone, access_token: 'x' }, ['credentials.access_token']],
    [
      'whatsapp',
      'qr',
      {},
      ['credentials.api_base_url', 'credentials.api_key', 'credentials.instance', 'credentials.webhook_secret'],
    ],
  ]
  for (const [channel_type, provider, credentials, expected] of cases)
    t.strictSame(paths(channel_type, provider, credentials), expected, JSON.stringify(credentials))
})

t.test('the account is named by a field that is no secret', async (t) => {
  t.equal(accountOf('telegram', bot), '110201543')
  t.equal(accountOf('telegram', {}), null)
  t.equal(accountOf('whatsapp', phone), 'shop phone')
  t.equal(accountOf('whatsapp', { phone_number_id: '106540352242922' }), '106540352242922')
})
