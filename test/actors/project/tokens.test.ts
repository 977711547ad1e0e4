import t from 'tap'
import { endToken, refreshToken, tokenReads } from '../../../actors/project/tokens/refresh_token.ts'
import { noteUse, storeTokenUses } from '../../../actors/project/tokens/token_uses.ts'
import { Records } from '../../../actors/project/turn/records.ts'
import { missingProject } from '../../../actors/project/turn/state.ts'
import type { TokenState } from '../../../storage/mod.ts'

const ID = '66f2a0c1d4e5f60718293a4b'
const at = (ms: number) => new Date(1_800_000_000_000 + ms)

/** A turn of a project with one live token, which was read with these fields. */
function turnOf(read?: Partial<TokenState>) {
  const live = {
    token_id: ID,
    revoked_at: null,
    expires_at: null,
    user_is_active: true,
    last_used_ms: 0,
    use_stored_ms: 0,
  }
  const state = missingProject('project')
  state.tokens.set(ID, { ...live } as TokenState)
  const records = new Records(state)
  if (read) records.of(tokenReads).set(ID, { ...live, ...read } as TokenState)
  const written: object[] = []
  const asked: [number, string][] = []
  const turn = {
    state,
    records,
    now: at(0),
    update: (_: unknown, __: unknown, values: object) => written.push(values),
    soon: (ms: number, { type }: { type: string }) => asked.push([ms, type]),
  }
  return { turn: turn as never, move: (ms: number) => (turn.now = at(ms)), state, written, asked }
}

t.test('a token that is revoked and refreshed in one turn stays revoked', (t) => {
  const { turn, state } = turnOf({})
  endToken(state, ID, at(0))
  refreshToken.refresh(turn, ID, {} as never)
  storeTokenUses.receive(turn, {}, {} as never)
  t.strictSame(state.tokens.get(ID)?.revoked_at, at(0))
  t.end()
})

t.test('a token whose end or whose owner’s the project was not told of ends when its use is stored', (t) => {
  for (const read of [{ revoked_at: at(-5) }, { user_is_active: false }]) {
    const { turn, state } = turnOf(read)
    noteUse(turn, ID)
    storeTokenUses.receive(turn, {}, {} as never)
    t.match(state.tokens.get(ID), read)
  }
  const { turn, state } = turnOf()
  noteUse(turn, ID)
  storeTokenUses.receive(turn, {}, {} as never)
  t.ok(state.tokens.has(ID), 'one that was noted after the reads is kept')
  t.end()
})

t.test('a use is stored a second later, unless one of the last minute is, and never goes back', (t) => {
  const { turn, move, written, asked } = turnOf()
  const use = (ms: number) => noteUse(move(ms) && turn, ID)
  const store = () => storeTokenUses.receive(turn, {}, {} as never)
  for (const ms of [0, 10, 500]) use(ms)
  t.strictSame(new Set(asked.splice(0).map(String)), new Set(['1000,store_token_uses']))
  store()
  t.strictSame(written.splice(0), [{ last_used_at: at(500) }])
  for (const ms of [501, 60_000, 60_499, -7_200_000]) use(ms)
  t.strictSame(asked, [])
  use(60_500)
  use(-7_200_000)
  t.strictSame(asked[0], [1000, 'store_token_uses'])
  store()
  t.strictSame(written, [{ last_used_at: at(60_500) }], 'with a clock that was put back, too')
  t.end()
})
