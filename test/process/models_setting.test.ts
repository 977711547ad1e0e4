/** PARLEY_MODELS: what it accepts, and the place and the reason of each mistake, without a secret. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type ConfigError, readConfig } from '../../http/app/settings/mod.ts'
import { tempDir } from '../support/mod.ts'

const url = 'https://api.openai.com/v1'
const read = (models: unknown, env: NodeJS.ProcessEnv = {}) =>
  readConfig({ PARLEY_MODELS: typeof models === 'string' ? models : JSON.stringify(models), ...env })

function problems(models: unknown, env: NodeJS.ProcessEnv = {}): string[] {
  try {
    read(models, env)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

t.test('the fields of a model, and what they are without it', async (t) => {
  t.strictSame(readConfig({}).models, [])
  const [plain] = read({ 'gpt-5-mini': { url: `${url}/`, context: 400_000 } }).models
  t.strictSame(plain, {
    name: 'gpt-5-mini',
    url,
    key: null,
    model: 'gpt-5-mini',
    context: 400_000,
    max_output: 4096,
    price: null,
    reads: ['text'],
    query: {},
    headers: {},
    output_field: 'max_completion_tokens',
    transcription: null,
  })
  const azure = {
    url: 'https://house.openai.azure.com/openai/deployments/mini',
    model: 'mini',
    context: 128_000,
    max_output: 16_384,
    price: { input: '0.25', output: 2, currency: 'EUR' },
    reads: ['image', 'text'],
    query: { 'api-version': '2026-01-01' },
    headers: { 'api-key': { variable: 'AZURE_KEY' }, 'x-plain': 'a' },
    transcription: { url: 'http://ear:9000/v1', key_variable: 'EAR_KEY', model: 'whisper-1' },
  }
  const [one] = read({ mini: azure }, { AZURE_KEY: 'secret-a', EAR_KEY: 'secret-b' }).models
  t.strictSame(one, {
    ...azure,
    name: 'mini',
    key: null,
    price: { input: '0.25', output: '2', currency: 'EUR' },
    reads: ['text', 'image'],
    headers: { 'api-key': 'secret-a', 'x-plain': 'a' },
    output_field: 'max_completion_tokens',
    transcription: { url: 'http://ear:9000/v1', key: 'secret-b', model: 'whisper-1' },
  })
  const local = { url: 'http://ollama:11434/v1', key: 'k', context: 2048, price: { input: 0.1, output: '0.000001' } }
  t.match(read({ 'llama3.2:3b': local }).models[0], {
    key: 'k',
    max_output: 2048,
    output_field: 'max_tokens',
    price: { input: '0.1', output: '0.000001', currency: 'USD' },
  })
})

t.test('a file', async (t) => {
  const file = join(tempDir(t), 'models.json')
  writeFileSync(file, JSON.stringify({ m: { url, context: 1000 } }))
  t.match(read(file).models, [{ name: 'm' }])
  writeFileSync(file, '{')
  t.strictSame(problems(file), [`PARLEY_MODELS must be valid JSON at ${file}.`])
  writeFileSync(file, ' '.repeat(2 * 1024 * 1024))
  t.match(problems(file), [/^PARLEY_MODELS must be JSON such as .* \(too large at /])
  t.match(problems('/no/such/file'), [
    /^PARLEY_MODELS must be JSON such as .*, or the path of a file with it \(ENOENT at \/no\/such\/file\)\.$/,
  ])
  t.match(problems(tempDir(t)), [/\((?:EISDIR|too large) at /])
})

const right = { url, context: 1000 }
const rows: [unknown, RegExp][] = [
  ['{}', /must describe at least one model\.$/],
  ['{"a":', /must be valid JSON\.$/],
  [{ m: 7 }, / at m: it must be an object\.$/],
  [{ 'a,b': right }, / at a,b: a name has 1 to 100 characters and no comma\.$/],
  [{ '': right }, / at : a name has/],
  [{ ['x'.repeat(101)]: right }, /a name has/],
  [{ m: { context: 1000 } }, / at m\.url: it is missing\.$/],
  [{ m: { url } }, / at m\.context: it is missing\.$/],
  [{ m: { ...right, url: 'https://u:hunter2@x' } }, / at m\.url: it must be a URL such as /],
  [{ m: { ...right, url: 'https://x?a=hunter2' } }, / at m\.url: /],
  [{ m: { ...right, url: 'ftp://x' } }, / at m\.url: /],
  [{ m: { ...right, urls: url } }, / at m\.urls: it is no field; the fields are url, key, /],
  [{ m: { ...right, context: '1000' } }, / at m\.context: it must be a whole number from 256 to /],
  [{ m: { ...right, context: 255 } }, / at m\.context: /],
  [{ m: { ...right, max_output: 1001 } }, / at m\.max_output: it must be a whole number from 16 to 1000\.$/],
  [{ m: { ...right, key: 'hunter2', key_variable: 'X' } }, / at m\.key_variable: there is a key, too\.$/],
  [{ m: { ...right, key_variable: 'NOT_SET' } }, / at m\.key_variable: the environment variable NOT_SET is not set\.$/],
  [{ m: { ...right, key: 'hunter2\n' } }, / at m\.key: it must be a text of 1 to 2000 characters\.$/],
  [{ m: { ...right, price: { input: 1 } } }, / at m\.price\.output: it is missing\.$/],
  [{ m: { ...right, price: { input: 1e-7, output: 1 } } }, / at m\.price\.input: it must be a decimal such as "0\.25"/],
  [{ m: { ...right, price: { input: -1, output: 1 } } }, / at m\.price\.input: /],
  [
    { m: { ...right, price: { input: 1, output: 1, currency: 'usd' } } },
    / at m\.price\.currency: it must be a currency/,
  ],
  [{ m: { ...right, reads: ['video'] } }, / at m\.reads: it must be a list of text, image, audio, pdf\.$/],
  [{ m: { ...right, query: { 'a b': 'x' } } }, / at m\.query\.a b: a name has letters/],
  [{ m: { ...right, headers: { a: 'x\r\ny' } } }, / at m\.headers\.a: it must be a text/],
  [
    { m: { ...right, headers: { a: { variable: 'NOT_SET' } } } },
    / at m\.headers\.a\.variable: the environment variable/,
  ],
  [{ m: { ...right, headers: { a: {} } } }, / at m\.headers\.a\.variable: it is missing\.$/],
  [
    { m: { ...right, output_field: 'tokens' } },
    / at m\.output_field: it must be one of max_tokens, max_completion_tokens\.$/,
  ],
  [{ m: { ...right, transcription: { url } } }, / at m\.transcription\.model: it is missing\.$/],
  [{ m: { ...right, transcription: { model: 'w' } } }, / at m\.transcription\.url: it is missing\.$/],
]
for (const [models, sentence] of rows) {
  t.test(`${typeof models === 'string' ? models : JSON.stringify(models).slice(0, 100)}`, async (t) => {
    const told = problems(models)
    t.equal(told.length, 1)
    t.match(told[0], sentence)
    t.match(told[0], /^PARLEY_MODELS /)
    t.notMatch(told[0], 'hunter2')
  })
}

t.test('the models that assistants may use', async (t) => {
  const two = { a: right, b: right }
  t.strictSame(read(two).assistant_models, ['a', 'b'], 'the names')
  t.strictSame(read(two, { PARLEY_ASSISTANT_MODELS: 'b' }).assistant_models, ['b'], 'a selection')
  t.strictSame(problems(two, { PARLEY_ASSISTANT_MODELS: 'b,c,d' }), [
    'PARLEY_ASSISTANT_MODELS has c, d, which PARLEY_MODELS does not describe: only the service of PARLEY_ASSISTANTS_URL, which is not set, could run it.',
  ])
  const service = { PARLEY_ASSISTANT_MODELS: 'c,b', PARLEY_ASSISTANTS_URL: 'http://127.0.0.1:9000' }
  t.strictSame(read(two, service).assistant_models, ['c', 'b'], 'others beside a service')
  t.equal(readConfig({}).assistant_models[0], 'simulated', 'a development start')
  t.equal(readConfig({ PARLEY_ASSISTANTS_URL: 'http://127.0.0.1:9000' }).assistant_models[0], 'gpt-5')
  t.strictSame(readConfig({ PARLEY_ASSISTANT_MODELS: 'x' }).assistant_models, ['x'])
})
