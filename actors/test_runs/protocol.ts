import type { EraseMessage } from '../data_rights/mod.ts'
import type { CaseOutcome } from './run_case.ts'

/** One actor for each project, with the id of the project as its key. */
export type TestRunsProtocol = {
  /** From the project, which has made the row. */
  begin: { message: { run_id: string }; reply: void }
  /** A set is deleted, with its runs. */
  cancel_all: { message: { test_set_id: string }; reply: void }
  cancel: { message: { run_id: string }; reply: void }
  /** A try has ended. `outcome`: null where it has to be made again. */
  tried: { message: { run_id: string; position: number; outcome: CaseOutcome | null }; reply: void }
  go_on: { message: object; reply: void }
  erase: { message: EraseMessage; reply: void }
  wake: { message: object; reply: void }
}
