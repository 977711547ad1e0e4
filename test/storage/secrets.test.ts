import { crc32 } from 'node:zlib'
import t from 'tap'
import {
  generateTokenSecret,
  hashPassword,
  hashToken,
  isWellFormedToken,
  openVault,
  VaultError,
  verifyPassword,
} from '../../storage/mod.ts'
import { forged } from '../support/mod.ts'

t.test('a token has the published form and checks itself', async (t) => {
  const { token, prefix, hash } = generateTokenSecret()
  t.match(token, /^svc_pk_[0-9A-Za-z]{38}$/)
  t.equal(prefix, token.slice(0, 11))
  t.equal(hash, hashToken(token))
  t.ok(isWellFormedToken(token))
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const check = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
  t.equal(check, crc32(token.slice(0, -6)))
})

t.test('a mangled token is recognised without a look-up', async (t) => {
  const { token } = generateTokenSecret()
  for (let index = 0; index < token.length; index++) {
    const other = token[index] === 'a' ? 'b' : 'a'
    t.notOk(isWellFormedToken(token.slice(0, index) + other + token.slice(index + 1)), `character ${index}`)
  }
  for (const text of ['', 'svc_pk_', token.slice(1), token.slice(0, -1), `${token}a`, `${token}\n`, ` ${token}`]) {
    t.notOk(isWellFormedToken(text), JSON.stringify(text))
  }
})

t.test('a password is stored as a scrypt envelope alone', async (t) => {
  const envelope = await hashPassword('pässword ✓')
  t.match(envelope, /^scrypt:\d+:\d+:\d+:[\w-]+:[\w-]+$/)
  t.ok(await verifyPassword('pässword ✓', envelope))
  t.ok(await verifyPassword('pa\u0308ssword ✓', envelope), 'typed with a combining accent')
  t.notOk(await verifyPassword('password', envelope))
  t.notOk(await verifyPassword('password', null))
  t.notOk(await verifyPassword('password', 'plain'))
})

t.test('a sealed value opens only where it was sealed', async (t) => {
  const vault = openVault('a secret of some length')
  const envelope = vault.seal('wh_1', 'secret', 'whsec_ü')
  t.match(envelope, new RegExp(`^v1:[\\w-]+:${vault.key_ids[0]}$`))
  t.notMatch(envelope, 'whsec')
  t.not(vault.seal('wh_1', 'secret', 'whsec_ü'), envelope, 'never the same twice')
  t.equal(vault.open('wh_1', 'secret', envelope), 'whsec_ü')
  t.equal(openVault('a secret of some length').open('wh_1', 'secret', envelope), 'whsec_ü')
  t.throws(() => vault.open('wh_2', 'secret', envelope), VaultError)
  t.throws(() => vault.open('wh_1', 'headers', envelope), VaultError)
  t.throws(() => openVault('another secret of some length').open('wh_1', 'secret', envelope), VaultError)
  for (const broken of ['', 'v1:', 'v1:AAAA', `v2${envelope.slice(2)}`, forged(envelope)]) {
    t.throws(() => vault.open('wh_1', 'secret', broken), VaultError, broken)
  }
})

const [OLD, NEW] = ['the secret of last year', 'the secret of this year']

t.test('the first secret of a list seals, and each of them opens', async (t) => {
  const [old, both] = [openVault(OLD), openVault(`${NEW}, ${OLD}`)]
  t.strictSame(both.key_ids, [...openVault(NEW).key_ids, ...old.key_ids])
  t.match(both.key_ids, [/^[0-9a-f]{8}$/, /^[0-9a-f]{8}$/])
  const [before, after] = [old.seal('wh_1', 'secret', 'whsec_1'), both.seal('wh_1', 'secret', 'whsec_2')]
  t.equal(both.open('wh_1', 'secret', before), 'whsec_1')
  t.equal(both.keyOf('wh_1', 'secret', before), old.key_ids[0])
  t.equal(openVault(NEW).open('wh_1', 'secret', after), 'whsec_2')
  t.equal(openVault(`${OLD},${NEW}`).open('wh_1', 'secret', after), 'whsec_2')
  t.throws(
    () => openVault(NEW).open('wh_1', 'secret', before),
    `secret of wh_1 is sealed with the key ${old.key_ids[0]}, which PARLEY_SECRET does not have (it has ${both.key_ids[0]}): add the secret of that key to the list`,
  )
  const [version, body, key] = before.split(':') as [string, string, string]
  const altered = `${version}:${forged(body)}:${key}`
  t.throws(() => both.open('wh_1', 'secret', altered), /does not open with its key \w{8}: it was altered/)
  t.strictSame(both.keysFor('media links'), [...openVault(NEW).keysFor('media links'), ...old.keysFor('media links')])
})

t.test('values of the release with one secret open, and that release opens ours', async (t) => {
  const withoutKey = (envelope: string) => envelope.split(':').slice(0, 2).join(':')
  const both = openVault(`${NEW},${OLD}`)
  const envelope = withoutKey(openVault(OLD).seal('wh_1', 'secret', 'whsec_1'))
  t.equal(both.open('wh_1', 'secret', envelope), 'whsec_1')
  t.equal(both.keyOf('wh_1', 'secret', envelope), both.key_ids[1])
  t.throws(() => openVault(NEW).open('wh_1', 'secret', envelope), /does not open with this PARLEY_SECRET/)
  // That release took what is between the first and the second colon.
  t.match(envelope, /^v1:[\w-]+$/)
  const with_comma = withoutKey(openVault('one, and a short one').seal('wh_1', 'secret', 'whsec_1'))
  t.equal(openVault('one, and a short one').open('wh_1', 'secret', with_comma), 'whsec_1', 'too short for a list')
  const listed = openVault(JSON.stringify([NEW, 'one, and a short one']))
  t.equal(listed.open('wh_1', 'secret', with_comma), 'whsec_1')
  t.strictSame(openVault(JSON.stringify(['one, and a short one'])).key_ids, listed.key_ids.slice(1))
})

t.test('a vault without a proper secret says so', async (t) => {
  t.throws(() => openVault('short'), /at least 16/)
  t.throws(() => openVault(undefined).seal('a', 'secret', 'c'), /PARLEY_SECRET is not set/)
})

t.test('each purpose has a key of its own, the same on all nodes', async (t) => {
  const [one, other] = [openVault('a secret of some length'), openVault('a secret of some length')]
  const [key] = one.keysFor('media links') as [Buffer]
  t.equal(key.length, 32)
  t.strictSame(other.keysFor('media links'), [key])
  t.notSame(one.keysFor('something else'), [key])
  t.notSame(openVault('another secret of that length').keysFor('media links'), [key])
  t.throws(() => openVault(undefined).keysFor('media links'), VaultError)
})
