/** Credentials from a file: the seed of an nkey, and a JWT with its seed, accepted by a real nats-server. */
import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, nkeys } from '@nats-io/transport-node'
import t from 'tap'
import { checkNats } from '../../http/cli/doctor/nats.ts'
import { natsBinary, natsOptions } from '../../runtime/mod.ts'
import { freePort } from '../../runtime/servers/port.ts'
import { eventually } from '../e2e/client.ts'
import { type Owner, tempDir } from '../support/mod.ts'

type KeyPair = ReturnType<typeof nkeys.createUser>
const { createAccount, createOperator, createUser } = nkeys

const seedOf = (pair: KeyPair) => new TextDecoder().decode(pair.getSeed())

/** Starts a nats-server that knows the users of `configuration` alone. */
async function startServer(t: Owner, configuration: string): Promise<string> {
  const port = await freePort()
  const directory = tempDir(t)
  const file = join(directory, 'nats.conf')
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${configuration}\n`)
  const server = spawn(natsBinary(), ['-c', file], { stdio: 'ignore' })
  t.teardown(() => new Promise((resolve) => server.on('exit', resolve) && server.kill('SIGKILL')))
  const url = `nats://127.0.0.1:${port}`
  await eventually('the server refuses strangers', async () => /authorization/i.test(await connects(url)))
  return url
}

function fileOf(t: Owner, content: string): string {
  const file = join(tempDir(t), 'parley creds')
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

const withCreds = (url: string, file: string) => `${url}?creds=${encodeURIComponent(file)}`

async function connects(url: string): Promise<string> {
  try {
    const connection = await connect({ ...natsOptions(url), reconnect: false })
    await connection.close()
    return 'connected'
  } catch (error) {
    return (error as Error).message
  }
}

/** A claim as `nsc` signs it. */
function jwt(signer: KeyPair, subject: KeyPair, nats: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    jti: subject.getPublicKey(),
    iat: 1,
    iss: signer.getPublicKey(),
    name: 'x',
    sub: subject.getPublicKey(),
    nats,
  }
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`
  return `${signed}.${Buffer.from(signer.sign(Buffer.from(signed))).toString('base64url')}`
}

const credsOf = (token: string, user: KeyPair) => `-----BEGIN NATS USER JWT-----
${token}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seedOf(user)}
------END USER NKEY SEED------
`

t.test('the seed of an nkey, and another one in its place', async (t) => {
  const [known, other] = [createUser(), createUser()]
  const url = await startServer(
    t,
    `authorization { users: [{ nkey: "${known.getPublicKey()}" }] }
jetstream { store_dir: ${JSON.stringify(tempDir(t))} }`,
  )
  const file = fileOf(t, `${seedOf(known)}\n`)
  t.equal(await connects(withCreds(url, file)), 'connected')
  const examine = async () =>
    (await checkNats({ env: {}, config: { nats_url: withCreds(url, file), nats_replicas: 1 } } as never))[0]
  t.match(await examine(), { status: 'ok' })
  const options = natsOptions(withCreds(url, file))
  writeFileSync(file, seedOf(other))
  t.match(await connects(withCreds(url, file)), /Authorization Violation/i)
  t.match(await examine(), { status: 'fail', text: /refuses the credentials of NATS_URL/ })
  writeFileSync(file, seedOf(known))
  const connection = await connect({ ...options, reconnect: false })
  await connection.close()
  t.match(await connects(url), /Authorization Violation/i)
})

t.test('a credentials file of a user whose account the server trusts', async (t) => {
  const [operator, account, user] = [createOperator(), createAccount(), createUser()]
  const any = { subs: -1, data: -1, payload: -1 }
  const limits = { ...any, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
  const account_token = jwt(operator, account, { type: 'account', version: 2, limits })
  const user_token = jwt(account, user, { type: 'user', version: 2, pub: {}, sub: {}, ...any })
  const url = await startServer(
    t,
    `operator: "${jwt(operator, operator, { type: 'operator', version: 2 })}"
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: "${account_token}" }
`,
  )
  t.equal(await connects(withCreds(url, fileOf(t, credsOf(user_token, user)))), 'connected')
  t.match(await connects(withCreds(url, fileOf(t, credsOf(user_token, createUser())))), /Authorization Violation/i)
})

t.test('a file that cannot be used is named, before anything is asked', async (t) => {
  const file = fileOf(t, 'password')
  t.throws(() => natsOptions(withCreds('nats://one:4222', file)), {
    message: /parley creds, hold neither a user's JWT/,
  })
  rmSync(file)
  t.throws(() => natsOptions(withCreds('nats://one:4222', file)), {
    message: /parley creds, cannot be read \(ENOENT\)/,
  })
  const config = { nats_url: withCreds('nats://one:4222', file), nats_replicas: 1 }
  t.match(await checkNats({ env: {}, config } as never), [
    { status: 'fail', text: /cannot be read \(ENOENT\): correct/ },
  ])
})
