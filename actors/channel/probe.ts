/** Regular probes whether the provider still accepts the account. */
import { type ProbeResult, type Providers, verdictOf } from '../providers/mod.ts'
import { hadFormerCredentials, judge } from './health.ts'
import type { ChannelTurn } from './protocol.ts'

export class Probe {
  readonly #providers: Providers
  readonly #probe_ms: number

  /** `probe_ms`: milliseconds between two probes. */
  constructor(providers: Providers, probe_ms: number) {
    this.#providers = providers
    this.#probe_ms = probe_ms
  }

  /** Sets the timer of the next probe, unless one is set. */
  expect(turn: ChannelTurn): void {
    const { state } = turn
    if (state.next_probe !== null || !state.config?.is_active) return
    // Spread at random, so that the channels of a provider do not probe it all at once.
    state.next_probe = turn.now.getTime() + Math.round(this.#probe_ms * (0.75 + 0.5 * Math.random()))
    turn.timer('probe', new Date(state.next_probe), { type: 'probe' })
  }

  /** Asks the provider, whose answer comes back as `probed`, and sets the timer anew. */
  begin(turn: ChannelTurn): void {
    const { state } = turn
    const { config } = state
    state.next_probe = null
    if (!config?.is_active) return
    this.expect(turn)
    const provider = this.#providers.of(config)
    if (!provider) return
    const asked_at = performance.now()
    const ask = async () => ({ type: 'probed', asked_at, verdict: verdictOf(await provider.probe(config.credentials)) })
    turn.work(ask, { outside: true })
  }

  /** Applies the provider's answer to the channel. `asked_at`: time of the question (`performance.now()`). */
  end(turn: ChannelTurn, verdict: ProbeResult, asked_at = Number.POSITIVE_INFINITY): void {
    const { state } = turn
    if (state.config && !hadFormerCredentials(state, asked_at)) judge(turn, verdict, this.#probe_ms)
  }
}
