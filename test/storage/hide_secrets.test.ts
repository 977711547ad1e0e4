import t from 'tap'
import { hideSecrets, hideSecretsInText } from '../../storage/values/hide_secrets.ts'

t.test('fields named like secrets are left out at every depth', (t) => {
  const shown = hideSecrets({
    type: 'dispatch',
    token_id: '66f2',
    request: { access_token: 'EAA1', appSecret: 'x', 'X-Api-Key': 'x', Authorization: 'x', flow_tokens: ['x'] },
    list: [{ password: { nested: 'x' } }, { cookie: null, secret: '' }, 'plain', 7, true, null],
    credentials: 0,
    secretary: 'Ana',
  })
  t.strictSame(shown, {
    type: 'dispatch',
    token_id: '66f2',
    request: {
      access_token: '[redacted]',
      appSecret: '[redacted]',
      'X-Api-Key': '[redacted]',
      Authorization: '[redacted]',
      flow_tokens: '[redacted]',
    },
    list: [{ password: '[redacted]' }, { cookie: null, secret: '' }, 'plain', 7, true, null],
    credentials: '[redacted]',
    secretary: 'Ana',
  })
  t.end()
})

t.test('secrets within texts are removed', (t) => {
  for (const [text, shown] of [
    ['svc_ok_Ab1', 'svc_ok_[redacted]'],
    ['a svc_pk_Ab1= and whsec_x/y+z.', 'a svc_pk_[redacted] and whsec_[redacted]'],
    ['authorization: Bearer abc.def-g, next', 'authorization: Bearer [redacted], next'],
    ['https://ana:p%40ss@example.com/a@b', 'https://[redacted]@example.com/a@b'],
    ['https://ana:p@ss@example.com/a', 'https://[redacted]@example.com/a'],
    ['https://zoom.example/j/1?pwd=zzz#token=yyy', 'https://zoom.example/j/1?pwd=[redacted]#token=[redacted]'],
    ['https://x/?api_key=a&client_secret=b&key[]=c', 'https://x/?api_key=[redacted]&client_secret=[redacted]&key[]=c'],
    ['https://x/?keyword=a&code=b&page=2', 'https://x/?keyword=a&code=[redacted]&page=2'],
    ['https://api.telegram.org/file/bot123:AA-b_c/photo.jpg', 'https://api.telegram.org/file/bot[redacted]/photo.jpg'],
    ['https://x/y?a=1&access_token=zzz&b=2', 'https://x/y?a=1&access_token=[redacted]&b=2'],
    ['s3://x?X-Amz-Signature=00ff', 's3://x?X-Amz-Signature=[redacted]'],
    ['mail ana@example.com about monkey=1', 'mail ana@example.com about monkey=1'],
  ] as const) {
    t.equal(hideSecretsInText(text), shown)
    t.strictSame(hideSecrets([text]), [shown])
  }
  t.end()
})

t.test('endless nesting is cut, and a long text takes little time', (t) => {
  let deep: unknown = 'x'
  for (let n = 0; n < 5000; n++) deep = [deep]
  t.match(JSON.stringify(hideSecrets(deep)), 'nested too deeply')
  const unit = ['://x?key=', '://x@', `?${'key'.repeat(30)}`, '?token', 'a?']
  for (const long of [...unit.map((text) => text.repeat(1e6 / text.length)), `?${'%token'.repeat(150_000)}`]) {
    t.ok(hideSecretsInText(long).length > 0)
  }
  t.end()
})
