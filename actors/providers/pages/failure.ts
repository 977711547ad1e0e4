import { DISCONNECT, REFUSE, RETRY, SLOW_CHANNEL, verdicts } from '../graph/failure.ts'

/**
 * From Meta's documentation of the Messenger Platform's error codes. 10 is a closed window (subcodes 2534022 and
 * 2018278) or a missing permission, 551 a person who cannot be reached, 368 a message that is considered abusive.
 */
export const VERDICTS = verdicts([
  [DISCONNECT, [0, 102, 190]],
  [RETRY, [1, 2, 1200]],
  [SLOW_CHANNEL, [4, 17, 32, 613, 80001, 80002, 80006]],
  [REFUSE, [3, 10, 100, 230, 368, 551, 2022, 10900, 10903, 10904]],
])
