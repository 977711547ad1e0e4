import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ConfigError, configReference, readConfig } from '../../http/app/settings/mod.ts'
import { issue } from '../support/certificates.ts'
import { leakReporter, tempDir } from '../support/mod.ts'

type Listed = ReturnType<typeof leakReporter>['listed']

/** Returns the sentences that refuse a wrong environment. */
function problems(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

t.test('an empty environment makes a development start with everything embedded', (t) => {
  t.match(readConfig({}), {
    port: 8080,
    host: '127.0.0.1',
    base_url: null,
    metrics_port: null,
    stop_grace_seconds: 0,
    stop_requests_seconds: 10,
    data_dir: `${process.cwd()}/.parley`,
    database_url: null,
    nats_url: null,
    environment: 'development',
    webhook_schedule: [0, 5, 300, 1800, 7200],
    allow_networks: ['127.0.0.0/8', '::1/128'],
    partitions: 64,
    limit_minute: 60,
    limit_hour: 200,
    limit_day: 1000,
    limit_ingest_minute: 6000,
  })
  t.end()
})

t.test('a database of the operator makes it production, which needs keys and trusts no network', (t) => {
  const DATABASE_URL = 'postgres://parley:secret@db/parley'
  t.match(problems({ DATABASE_URL }), [
    /^PARLEY_BASE_URL is not set, and production needs it: name the address .* such as https:\/\/parley\.example\.com\.$/,
    /^PARLEY_OPERATOR_KEY is not set, .*\.$/,
    /^PARLEY_SECRET is not set, .*\.$/,
  ])
  const keys = {
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_OPERATOR_KEY: 'k'.repeat(32),
    PARLEY_SECRET: 's'.repeat(32),
  }
  const config = readConfig({ DATABASE_URL, ...keys })
  t.match(config, {
    environment: 'production',
    host: '0.0.0.0',
    metrics_host: '127.0.0.1',
    stop_grace_seconds: 5,
    stop_requests_seconds: 60,
  })
  t.strictSame(config.allow_networks, [])
  t.equal(readConfig({ DATABASE_URL, PARLEY_ENV: 'development' }).environment, 'development')
  t.end()
})

t.test('values are read as their type', (t) => {
  const config = readConfig({
    PARLEY_PORT: '9000',
    PARLEY_WEBHOOK_SCHEDULE: '0, 0.5,2',
    PARLEY_ALLOW_NETWORKS: '10.0.0.0/8,192.0.2.7,::1',
    PARLEY_HOST: '',
  })
  t.match(config, { port: 9000, webhook_schedule: [0, 0.5, 2], host: '127.0.0.1' })
  t.strictSame(config.allow_networks, ['10.0.0.0/8', '192.0.2.7/32', '::1/128', '127.0.0.0/8'])
  t.end()
})

t.test('certificate authorities are read at the start', (t) => {
  const directory = tempDir(t)
  const read = (text: string) => {
    const file = join(directory, 'authorities.pem')
    writeFileSync(file, text)
    return readConfig({ PARLEY_CA_FILE: file }).certificates
  }
  const [one, two] = ['One', 'Two'].map((name) => issue({ name, is_authority: true }).cert.trim()) as [string, string]
  t.strictSame(readConfig({}).certificates, [])
  t.strictSame(read(one), [one])
  t.strictSame(read(`# Our own.\n${one}\nsome words\r\n${two}\n`), [one, two])
  t.throws(() => read('no certificates'), /^PARLEY_CA_FILE must be the path of a PEM file with certificates \(.*pem\)/)
  t.throws(() => read(`${one}\n${two.replace(/MII?/, 'AAAA')}`), /\(certificate 2 in .*pem is damaged\)/)
  const missing = join(directory, 'missing.pem')
  t.match(problems({ PARLEY_CA_FILE: missing }), [
    `PARLEY_CA_FILE must be the path of a file that can be read (ENOENT at ${missing}), not "${missing}".`,
  ])
  t.match(problems({ PARLEY_CA_FILE: directory }), [/^PARLEY_CA_FILE must be .* \(EISDIR at/])
  t.end()
})

t.test('PARLEY_OUTBOUND_PROXY names a proxy for outgoing requests', (t) => {
  const sentence = 'PARLEY_OUTBOUND_PROXY must be a URL such as http://user:password@proxy:3128.'
  t.equal(readConfig({}).outbound_proxy, null)
  for (const right of ['http://proxy', 'http://10.0.0.1:3128/', 'http://user:p%40ss@[::1]:3128'])
    t.equal(readConfig({ PARLEY_OUTBOUND_PROXY: right }).outbound_proxy, right)
  for (const wrong of ['proxy:3128', 'https://proxy', 'socks5://proxy', 'http://proxy/x', 'http://user:hunter2%@proxy'])
    t.strictSame(problems({ PARLEY_OUTBOUND_PROXY: wrong }), [sentence], wrong)
  t.end()
})

t.test('models and the service of assistants', (t) => {
  t.match(readConfig({}), { assistants_url: null, assistants_key: null })
  t.strictSame(readConfig({ PARLEY_ASSISTANT_MODELS: ' a, b ,a,' }).assistant_models, ['a', 'b'])
  t.strictSame(problems({ PARLEY_ASSISTANT_MODELS: ',' }), [
    'PARLEY_ASSISTANT_MODELS must be a list of names separated by commas, not ",".',
  ])
  for (const right of ['http://127.0.0.1:9000', 'https://assistants.example.com/api/v2/'])
    t.equal(readConfig({ PARLEY_ASSISTANTS_URL: right }).assistants_url, right)
  for (const wrong of ['ftp://x', 'x', 'https://a,https://b', 'https://a/?key=1', 'https://a/#b', 'https://u:p@a'])
    t.match(problems({ PARLEY_ASSISTANTS_URL: wrong }), [/^PARLEY_ASSISTANTS_URL must be one URL such as /], wrong)
  t.end()
})

t.test('PARLEY_BLOB_URL names a place for files', (t) => {
  t.equal(readConfig({}).blob_url, null)
  const bucket = 's3://key:p%2Fw@s3.example.com/media/parley?region=eu-west-1&endpoint=http://minio:9000'
  for (const right of ['file:///var/lib/parley/blobs', bucket, 's3://s3.amazonaws.com/media'])
    t.equal(readConfig({ PARLEY_BLOB_URL: right }).blob_url, right)
  const sentence = /^PARLEY_BLOB_URL must be a URL such as file:\/\/\/[^ ]+ or s3:\/\/[^ ]+\.$/
  for (const wrong of [
    '/var/blobs',
    'file://host/x',
    'file:///',
    's3://host',
    's3://key@h/b',
    's3://k:hunter2%@h/b',
    'https://h/b',
    's3://h/b?endpoint=minio:9000',
  ])
    t.match(problems({ PARLEY_BLOB_URL: wrong }), [sentence], wrong)
  t.notMatch(problems({ PARLEY_BLOB_URL: 's3://k:hunter2@host' }).join(), 'hunter2', 'a secret is not repeated')
  t.end()
})

t.test('every wrong value is told in one sentence, all at once', (t) => {
  const wrong = problems({
    PARLEY_PORT: '80a',
    PARLEY_WEBHOOK_SCHEDULE: 'soon',
    PARLEY_ALLOW_NETWORKS: '10.0.0.0/33',
    DATABASE_URL: 'mysql://root:hunter2@db',
    PARLEY_ENV: 'staging',
    PARLEY_LOG_LEVEL: 'loud',
  })
  t.match(wrong.toSorted(), [
    'DATABASE_URL must be a URL that begins with postgres:// or postgresql://.',
    'PARLEY_ALLOW_NETWORKS must be a list of networks',
    'PARLEY_ENV must be one of development, production, not "staging".',
    'PARLEY_LOG_LEVEL must be one of debug, info, warn, error, not "loud".',
    'PARLEY_PORT must be a whole number from 1 to 65535, not "80a".',
    'PARLEY_WEBHOOK_SCHEDULE must be a list of seconds',
  ])
  t.notMatch(wrong.join(), 'hunter2', 'a secret is not repeated')
  t.throws(() => readConfig({ PARLEY_PORT: '0' }), ConfigError)
  t.end()
})

t.test('several servers of PostgreSQL, and connections enough for each kind', (t) => {
  const keys = { PARLEY_ENV: 'development' }
  const several = 'postgres://u:p@one:5432,two:5433/parley?target_session_attrs=read-write'
  t.equal(readConfig({ ...keys, DATABASE_URL: several }).database_url, several)
  t.strictSame(problems({ ...keys, DATABASE_URL: 'postgres://u:hunter2@one:x,two/parley' }), [
    'DATABASE_URL must name its servers as host:port, with commas between.',
  ])
  t.equal(readConfig({}).pool_size, 8)
  t.match(problems({ PARLEY_POOL_SIZE: '3' }), ['PARLEY_POOL_SIZE must be a whole number from 4 to 500'])
  t.end()
})

t.test('mail needs a server and a sender', (t) => {
  t.match(readConfig({}), { smtp_url: null, mail_from: null })
  const PARLEY_SMTP_URL = 'smtp://parley:hunter2@mail.example.com:587'
  for (const PARLEY_MAIL_FROM of ['parley@example.com', 'Parley <parley@example.com>', '<parley@example.com>']) {
    t.match(readConfig({ PARLEY_SMTP_URL, PARLEY_MAIL_FROM }), {
      smtp_url: PARLEY_SMTP_URL,
      mail_from: PARLEY_MAIL_FROM,
    })
  }
  t.match(problems({ PARLEY_SMTP_URL }), [/^PARLEY_MAIL_FROM is not set, and PARLEY_SMTP_URL needs it/])
  for (const wrong of ['parley', 'a@b, c@d', 'Parley <a@b>, x', 'a@b\r\nBcc: c@d', '@example.com']) {
    t.match(problems({ PARLEY_MAIL_FROM: wrong }), [/^PARLEY_MAIL_FROM must be a mail address/], wrong)
  }
  const wrong = problems({ PARLEY_SMTP_URL: 'https://parley:hunter2@mail.example.com', PARLEY_MAIL_FROM: 'a@b' })
  t.strictSame(wrong, ['PARLEY_SMTP_URL must be a URL that begins with smtp:// or smtps://.'])
  t.end()
})

t.test('the keys of secret scanning come from a file as GitHub lists them', (t) => {
  const directory = tempDir(t)
  const file = join(directory, 'keys.json')
  const read = (listed: unknown) => {
    writeFileSync(file, typeof listed === 'string' ? listed : JSON.stringify({ public_keys: listed }))
    return readConfig({ PARLEY_SECRET_SCANNING_KEYS: file }).secret_scanning_keys
  }
  const [one, two] = ['one', 'two'].map((name) => leakReporter(name).listed) as [Listed, Listed]
  t.strictSame(readConfig({}).secret_scanning_keys, {})
  t.strictSame(read([one, { ...two, is_current: false }]), { one: one.key, two: two.key })
  t.throws(() => read('nonsense'), /^PARLEY_SECRET_SCANNING_KEYS must be the path of a JSON file .*no JSON at/)
  t.throws(() => read('null'), /no JSON at/)
  t.throws(() => read([]), /there are no keys in/)
  t.throws(() => read([one, { key_identifier: 'two', key: 'MFkw' }]), /key 2 in .* is no public key of the curve P-256/)
  t.throws(() => read([leakReporter('one', 'secp384r1').listed]), /key 1 in/)
  t.match(problems({ PARLEY_SECRET_SCANNING_KEYS: join(directory, 'none') }), [/ENOENT at/])
  t.end()
})

t.test('the days of warnings before a token expires are a list, or none', (t) => {
  const read = (PARLEY_TOKEN_WARNING_DAYS: string) => readConfig({ PARLEY_TOKEN_WARNING_DAYS }).token_warning_days
  t.strictSame(readConfig({}).token_warning_days, [14, 3, 1])
  t.strictSame(read('30, 7,30'), [30, 7])
  t.strictSame(read('none'), [])
  for (const wrong of [',', '0', '366', '1.5', '7,none', 'seven'])
    t.match(
      problems({ PARLEY_TOKEN_WARNING_DAYS: wrong }),
      [/^PARLEY_TOKEN_WARNING_DAYS must be a list of days/],
      wrong,
    )
  t.end()
})

t.test('mails about tokens go to owners, to addresses, or to both', (t) => {
  t.strictSame(readConfig({}).token_mail_to, ['owner'])
  const read = (PARLEY_TOKEN_MAIL_TO: string) => readConfig({ PARLEY_TOKEN_MAIL_TO }).token_mail_to
  t.strictSame(read('owner, security@example.com,owner'), ['owner', 'security@example.com'])
  t.strictSame(read('security@example.com'), ['security@example.com'])
  for (const wrong of [',', 'owners', 'a@b c@d', 'Security <a@b>'])
    t.match(problems({ PARLEY_TOKEN_MAIL_TO: wrong }), [/^PARLEY_TOKEN_MAIL_TO must be `owner`, mail addresses/], wrong)
  t.end()
})

t.test('an unknown setting is named, with the one that may be meant', (t) => {
  t.strictSame(problems({ PARLEY_PROT: '1', PARLEY_COLOUR_OF_THE_SKY: 'blue', OTHER: '1' }), [
    'PARLEY_PROT is not a setting of Parley: did you mean PARLEY_PORT?',
    'PARLEY_COLOUR_OF_THE_SKY is not a setting of Parley: see docs/configuration.md.',
  ])
  t.end()
})

for (const file of ['docs/configuration.md', 'README.md']) {
  t.test(`${file} tells what the code does`, (t) => {
    const page = new URL(`../../${file}`, import.meta.url)
    const written = existsSync(page) ? readFileSync(page, 'utf8') : ''
    const begin = '<!-- settings -->\n'
    const [before, rest] = written.split(begin)
    // A page without the marker refers to docs/configuration.md instead.
    if (rest === undefined) return t.end()
    const end = '<!-- /settings -->\n'
    const [, after] = rest.split(end)
    if (after === undefined) throw new Error(`${file} has no line ${end.trim()} behind the table: put it back`)
    const right = `${before}${begin}${configReference()}\n${end}${after}`
    // tap sets TAP_SNAPSHOT to write the expected result instead of comparing it.
    if (process.env.TAP_SNAPSHOT === '1') writeFileSync(page, right)
    else t.equal(written, right, 'run `TAP_SNAPSHOT=1 npm test -- test/process/config.test.ts` to write it again')
    t.end()
  })
}
