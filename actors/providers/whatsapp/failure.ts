import type { Exchange } from '../../outbound/mod.ts'
import { DISCONNECT, graphFailure, REFUSE, RETRY, SLOW_CHANNEL, SLOW_RECIPIENT, verdicts } from '../graph/failure.ts'
import type { SendFailure } from '../provider.ts'

/** From Meta's documentation of the Cloud API's error codes. */
const VERDICTS = verdicts([
  [DISCONNECT, [0, 190, 368, 131031, 133010]],
  [RETRY, [1, 2, 131000, 131016, 131057]],
  [SLOW_CHANNEL, [4, 80007, 130429, 131048]],
  [SLOW_RECIPIENT, [131056, 132069]],
  [
    REFUSE,
    [3, 10, 100, 130472, 131005, 131008, 131009, 131021, 131026, 131047, 131049, 131050, 131051, 131052, 131053],
  ],
  [REFUSE, [132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068]],
])

/** Classifies an exchange without a usable 2xx. `body` is its JSON, when it is JSON. `now` in milliseconds. */
export function failureOf(answer: Exchange, body: unknown, now: number): SendFailure {
  const failure = graphFailure(answer, body, VERDICTS, now)
  return failure.code === OPTED_OUT ? { ...failure, opted_out: true } : failure
}

/** The person stopped marketing messages of this business. */
export const OPTED_OUT = '131050'
